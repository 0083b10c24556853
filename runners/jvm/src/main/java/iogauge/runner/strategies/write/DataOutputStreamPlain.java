package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/** {@link DataOutputStream#writeLong} straight to the file: a system call per value. */
public final class DataOutputStreamPlain implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/data-output-stream", "DataOutputStream(FileOutputStream), writeLong",
                "DataOutputStream, unbuffered", Unit.BLOCK, 2)
                .noBuffer()
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)
                .computeOnly("java/encode-longs");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Values values = new Values(opening.payload());
        boolean append = opening.append();
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream file = new FileOutputStream(path, append);
                    DataOutputStream out = new DataOutputStream(file)) {
                values.write(out, consumer);
                durability.finish(out, file);
            }
        };
    }
}
