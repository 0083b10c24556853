package iogauge.runner.strategies.liferay;

import com.liferay.portal.kernel.io.unsync.UnsyncBufferedInputStream;
import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.InputStream;

/**
 * {@link UnsyncBufferedInputStream#read(byte[])}, with the rules of its twin {@link java.io.BufferedInputStream}: a
 * block that is no smaller than the stream's buffer passes it by. But the buffer is made in any case; in newer versions
 * of Java the twin makes its own at the first need.
 */
public final class UnsyncBufferedInputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/liferay-buffered-input-stream",
                "Liferay UnsyncBufferedInputStream, read(byte[])",
                "UnsyncBufferedInputStream", Unit.BLOCK, 2)
                .newBuffer()
                .parameters(Parameter.buffer(), Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (InputStream in = new UnsyncBufferedInputStream(new FileInputStream(path), buffer)) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
