package iogauge.runner.strategies.memory;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** {@link ByteArrayInputStream#read()}: a lock taken for each byte. */
public final class ByteArrayInputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/byte-array-input-stream-byte", "ByteArrayInputStream, read()",
                "ByteArrayInputStream.read()", Unit.BYTE, 2)
                .memory()
                .computeOnly("java/consume-byte");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            ByteArrayInputStream in = new ByteArrayInputStream(payload);
            consumer.acceptEach(in::read);
        };
    }
}
