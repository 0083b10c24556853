package iogauge.runner.strategies.published;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.InputStream;

/** Reading a stream into an array that is made anew for each file, and summing byte by byte, as a publication did. */
abstract class SummedStream implements Strategy {

    private final String name;
    private final String type;

    SummedStream(String name, String type) {
        this.name = name;
        this.type = type;
    }

    abstract InputStream open(String path) throws IOException;

    @Override
    public Declaration declaration() {
        return Declaration.read("java/published-" + name, type + ", read(byte[]), each byte summed",
                type + ", as published", Unit.BLOCK, 2)
                .newBuffer()
                .publishedRole()
                .consumes(Consume.SUM)
                .parameters(Parameter.block())
                .computeOnly("java/sum-array-byte-by-byte");
    }

    @Override
    public Operation open(Opening opening) {
        int block = opening.parameter("block");
        return (path, consumer) -> {
            try (InputStream in = open(path)) {
                byte[] bytes = new byte[block];
                long count = 0;
                long sum = 0;
                int length;
                while ((length = in.read(bytes)) >= 0) {
                    sum += ByteByByte.sum(bytes, 0, length);
                    count += length;
                }
                consumer.summed(count, sum);
            }
        };
    }
}
