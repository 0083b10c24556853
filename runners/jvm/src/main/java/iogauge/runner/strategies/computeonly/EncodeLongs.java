package iogauge.runner.strategies.computeonly;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Making bytes of values of 8 bytes, as a {@link DataOutputStream} does, for nobody. */
public final class EncodeLongs implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/encode-longs", "DataOutputStream to nothing, writeLong",
                "DataOutputStream, to nothing", Unit.BLOCK, 2)
                .computeOnlyRole()
                .consumes(Consume.NONE);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Values values = new Values(opening.payload());
        return (path, consumer) -> values.write(new DataOutputStream(OutputStream.nullOutputStream()), consumer);
    }
}
