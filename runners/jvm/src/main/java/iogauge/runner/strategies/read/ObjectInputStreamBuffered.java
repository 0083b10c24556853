package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.ObjectInputStream;

/** {@link ObjectInputStream#readLong} through a {@link BufferedInputStream}. */
public final class ObjectInputStreamBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/object-input-stream-buffered", "ObjectInputStream(BufferedInputStream), readLong",
                "ObjectInputStream, buffered", Unit.BLOCK, 2)
                .newBuffer()
                .objectStream()
                .parameters(Parameter.buffer())
                .computeOnly("java/consume-object-longs");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (FileInputStream file = new FileInputStream(path);
                    ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(file, buffer))) {
                BlockData.read(in, new File(path).length(), consumer);
            }
        };
    }
}
