package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Mode;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;

/**
 * {@link ObjectOutputStream#writeLong} straight to the file: the stream has a buffer of its own, of 1024 bytes. It
 * cannot append: a second stream header would follow.
 */
public final class ObjectOutputStreamPlain implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/object-output-stream", "ObjectOutputStream(FileOutputStream), writeLong",
                "ObjectOutputStream, unbuffered", Unit.BLOCK, 2)
                .newBuffer()
                .objectStream()
                .modes(Mode.TRUNCATE)
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)
                .computeOnly("java/encode-object-longs");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Values values = new Values(opening.payload());
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream file = new FileOutputStream(path);
                    ObjectOutputStream out = new ObjectOutputStream(file)) {
                values.write(out, consumer);
                durability.finish(out, file);
            }
        };
    }
}
