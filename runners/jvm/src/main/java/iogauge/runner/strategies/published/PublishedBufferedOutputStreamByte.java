package iogauge.runner.strategies.published;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** {@link BufferedOutputStream#write(int)}, each byte drawn just before. */
public final class PublishedBufferedOutputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/published-buffered-output-stream-byte",
                "BufferedOutputStream, write(random byte)",
                "BufferedOutputStream, as published", Unit.BYTE, 2)
                .newBuffer()
                .parameters(Parameter.buffer())
                .publishedRole()
                .generates()
                .computeOnly("java/random-bytes");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        int length = opening.payloadLength();
        int buffer = opening.parameter("buffer");
        boolean append = opening.append();
        return (path, consumer) -> {
            try (OutputStream out = new BufferedOutputStream(new FileOutputStream(path, append), buffer)) {
                for (int i = 0; i < length; i++) {
                    out.write(RandomByte.next());
                }
                consumer.wrote(length);
            }
        };
    }
}
