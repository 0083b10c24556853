package iogauge.runner.strategies.liferay;

import com.liferay.portal.kernel.io.unsync.UnsyncByteArrayInputStream;
import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** {@link UnsyncByteArrayInputStream#read(byte[])}, twin of {@link java.io.ByteArrayInputStream}. */
public final class UnsyncByteArrayInputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/liferay-byte-array-input-stream",
                "Liferay UnsyncByteArrayInputStream, read(byte[])",
                "UnsyncByteArrayInputStream", Unit.BLOCK, 2)
                .memory()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            UnsyncByteArrayInputStream in = new UnsyncByteArrayInputStream(payload);
            Blocks.read(in::read, block, consumer);
        };
    }
}
