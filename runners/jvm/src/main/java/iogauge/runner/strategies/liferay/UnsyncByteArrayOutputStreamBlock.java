package iogauge.runner.strategies.liferay;

import com.liferay.portal.kernel.io.unsync.UnsyncByteArrayOutputStream;
import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/**
 * {@link UnsyncByteArrayOutputStream#write(byte[], int, int)}, from the default capacity on.
 *
 * <p>It starts with 32 bytes and doubles, like its twin {@link java.io.ByteArrayOutputStream}; but past 1 GiB it copies
 * itself at each call, to grow by what that call needs.
 */
public final class UnsyncByteArrayOutputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/liferay-byte-array-output-stream",
                "Liferay UnsyncByteArrayOutputStream, write(byte[])",
                "UnsyncByteArrayOutputStream", Unit.BLOCK, 2)
                .memory()
                .parameters(Parameter.block())
                .memoryPerFileByte(3);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            UnsyncByteArrayOutputStream out = new UnsyncByteArrayOutputStream();
            Pieces.write(payload, block, out::write, consumer);
            consumer.made(out, made -> Consumer.sumOf(made.toByteArray()));
        };
    }
}
