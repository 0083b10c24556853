package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Consuming bytes in a direct buffer, block by block. */
public final class ConsumeBuffer implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/consume-buffer", "consume direct ByteBuffer",
                "consuming a direct ByteBuffer", Unit.BLOCK, 1)
                .computeOnlyRole()
                .parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] content = opening.payload();
        ByteBuffer payload = ByteBuffer.allocateDirect(content.length).put(content);
        int block = opening.parameter("block");
        return (path, consumer) -> {
            int length;
            for (int at = 0; at < payload.capacity(); at += length) {
                length = Math.min(block, payload.capacity() - at);
                consumer.accept(payload.limit(at + length).position(at));
            }
        };
    }
}
