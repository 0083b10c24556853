package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/** {@link DataOutputStream#writeLong} through a {@link BufferedOutputStream}. */
public final class DataOutputStreamBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/data-output-stream-buffered",
                "DataOutputStream(BufferedOutputStream), writeLong",
                "DataOutputStream, buffered", Unit.BLOCK, 2)
                .newBuffer()
                .parameters(Parameter.buffer())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)
                .computeOnly("java/encode-longs");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Values values = new Values(opening.payload());
        int buffer = opening.parameter("buffer");
        boolean append = opening.append();
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream file = new FileOutputStream(path, append);
                    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file, buffer))) {
                values.write(out, consumer);
                durability.finish(out, file);
            }
        };
    }
}
