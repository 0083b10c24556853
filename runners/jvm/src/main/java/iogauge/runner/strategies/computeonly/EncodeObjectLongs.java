package iogauge.runner.strategies.computeonly;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;

/** Making records of values of 8 bytes, as an {@link ObjectOutputStream} does, for nobody. */
public final class EncodeObjectLongs implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/encode-object-longs", "ObjectOutputStream to nothing, writeLong",
                "ObjectOutputStream, to nothing", Unit.BLOCK, 2)
                .computeOnlyRole()
                .consumes(Consume.NONE);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Values values = new Values(opening.payload());
        return (path, consumer) -> {
            try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
                values.write(out, consumer);
            }
        };
    }
}
