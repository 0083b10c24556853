package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;

/** {@link BufferedInputStream#read(byte[])}: a block that is no smaller than the stream's buffer passes it by. */
public final class BufferedInputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/buffered-input-stream", "BufferedInputStream, read(byte[])",
                "BufferedInputStream", Unit.BLOCK, 2)
                .newBuffer()
                .parameters(Parameter.buffer(), Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (InputStream in = new BufferedInputStream(new FileInputStream(path), buffer)) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
