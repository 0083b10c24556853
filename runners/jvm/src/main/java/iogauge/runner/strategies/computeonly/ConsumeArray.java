package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** Consuming bytes in an array, block by block. */
public final class ConsumeArray implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/consume-array", "consume byte[]",
                "consuming a byte[]", Unit.BLOCK, 1)
                .computeOnlyRole()
                .parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            int length;
            for (int at = 0; at < payload.length; at += length) {
                length = Math.min(block, payload.length - at);
                consumer.accept(payload, at, length);
            }
        };
    }
}
