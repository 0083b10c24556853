package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;

/** {@link DataInputStream#readLong} straight from the file: a system call per value. */
public final class DataInputStreamPlain implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/data-input-stream", "DataInputStream(FileInputStream), readLong",
                "DataInputStream, unbuffered", Unit.BLOCK, 2)
                .noBuffer()
                .computeOnly("java/consume-longs");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (DataInputStream in = new DataInputStream(new FileInputStream(path))) {
                Values.read(in, new File(path).length(), consumer);
            }
        };
    }
}
