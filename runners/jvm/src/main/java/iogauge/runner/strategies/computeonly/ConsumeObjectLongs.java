package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

/** Making values of 8 bytes out of the records of an {@link ObjectInputStream}, and consuming them. */
public final class ConsumeObjectLongs implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/consume-object-longs", "ObjectInputStream over memory, readLong",
                "ObjectInputStream, in memory", Unit.BLOCK, 2)
                .computeOnlyRole();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(records)) {
            out.write(payload);
        }
        byte[] content = records.toByteArray();
        return (path, consumer) ->
                Values.read(new ObjectInputStream(new ByteArrayInputStream(content)), payload.length, consumer);
    }
}
