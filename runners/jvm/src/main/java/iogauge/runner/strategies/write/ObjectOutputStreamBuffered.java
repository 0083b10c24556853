package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Mode;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;

/**
 * {@link ObjectOutputStream#writeLong} through a {@link BufferedOutputStream}. It cannot append: a second stream header
 * would follow.
 */
public final class ObjectOutputStreamBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/object-output-stream-buffered",
                "ObjectOutputStream(BufferedOutputStream), writeLong",
                "ObjectOutputStream, buffered", Unit.BLOCK, 2)
                .newBuffer()
                .objectStream()
                .modes(Mode.TRUNCATE)
                .parameters(Parameter.buffer())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)
                .computeOnly("java/encode-object-longs");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Values values = new Values(opening.payload());
        int buffer = opening.parameter("buffer");
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream file = new FileOutputStream(path);
                    ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(file, buffer))) {
                values.write(out, consumer);
                durability.finish(out, file);
            }
        };
    }
}
