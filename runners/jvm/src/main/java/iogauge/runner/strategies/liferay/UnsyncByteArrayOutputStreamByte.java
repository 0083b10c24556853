package iogauge.runner.strategies.liferay;

import com.liferay.portal.kernel.io.unsync.UnsyncByteArrayOutputStream;
import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** {@link UnsyncByteArrayOutputStream#write(int)}, which grows as said of {@link UnsyncByteArrayOutputStreamBlock}. */
public final class UnsyncByteArrayOutputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/liferay-byte-array-output-stream-byte",
                "Liferay UnsyncByteArrayOutputStream, write(int)",
                "UnsyncByteArrayOutputStream.write", Unit.BYTE, 2)
                .memory()
                .memoryPerFileByte(3);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            UnsyncByteArrayOutputStream out = new UnsyncByteArrayOutputStream();
            Pieces.writeEach(payload, out::write, consumer);
            consumer.made(out, made -> Consumer.sumOf(made.toByteArray()));
        };
    }
}
