package iogauge.runner.strategies.memory;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** {@link ByteArrayInputStream#read(byte[])}. */
public final class ByteArrayInputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/byte-array-input-stream", "ByteArrayInputStream, read(byte[])",
                "ByteArrayInputStream", Unit.BLOCK, 2)
                .memory()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            ByteArrayInputStream in = new ByteArrayInputStream(payload);
            Blocks.read(in::read, block, consumer);
        };
    }
}
