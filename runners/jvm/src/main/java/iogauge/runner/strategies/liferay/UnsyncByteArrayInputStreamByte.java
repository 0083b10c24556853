package iogauge.runner.strategies.liferay;

import com.liferay.portal.kernel.io.unsync.UnsyncByteArrayInputStream;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** {@link UnsyncByteArrayInputStream#read()}, twin of {@link java.io.ByteArrayInputStream}. */
public final class UnsyncByteArrayInputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/liferay-byte-array-input-stream-byte",
                "Liferay UnsyncByteArrayInputStream, read()",
                "UnsyncByteArrayInputStream.read()", Unit.BYTE, 2)
                .memory()
                .computeOnly("java/consume-byte");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            UnsyncByteArrayInputStream in = new UnsyncByteArrayInputStream(payload);
            consumer.acceptEach(in::read);
        };
    }
}
