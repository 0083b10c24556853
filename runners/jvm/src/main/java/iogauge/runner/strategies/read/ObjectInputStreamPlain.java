package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.File;
import java.io.FileInputStream;
import java.io.ObjectInputStream;

/**
 * {@link ObjectInputStream#readLong} straight from the file: the stream has a buffer of its own, of 1024 bytes, and
 * reads the header of each record apart.
 */
public final class ObjectInputStreamPlain implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/object-input-stream", "ObjectInputStream(FileInputStream), readLong",
                "ObjectInputStream, unbuffered", Unit.BLOCK, 2)
                .newBuffer()
                .objectStream()
                .computeOnly("java/consume-object-longs");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (FileInputStream file = new FileInputStream(path);
                    ObjectInputStream in = new ObjectInputStream(file)) {
                BlockData.read(in, new File(path).length(), consumer);
            }
        };
    }
}
