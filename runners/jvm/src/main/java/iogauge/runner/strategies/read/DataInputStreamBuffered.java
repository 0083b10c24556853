package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;

/** {@link DataInputStream#readLong} through a {@link BufferedInputStream}. */
public final class DataInputStreamBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/data-input-stream-buffered", "DataInputStream(BufferedInputStream), readLong",
                "DataInputStream, buffered", Unit.BLOCK, 2)
                .newBuffer()
                .parameters(Parameter.buffer())
                .computeOnly("java/consume-longs");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (FileInputStream file = new FileInputStream(path);
                    DataInputStream in = new DataInputStream(new BufferedInputStream(file, buffer))) {
                Values.read(in, new File(path).length(), consumer);
            }
        };
    }
}
