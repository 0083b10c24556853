package iogauge.runner.strategies.memory;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** {@link ByteArrayInputStream#read()}, of what the same operation has written into memory just before. */
public final class MemoryByteStreamRead implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-byte-stream-read",
                "ByteArrayOutputStream, then ByteArrayInputStream, read()",
                "ByteArrayInputStream, as published", Unit.BYTE, 2)
                .memory()
                .publishedRole()
                .computeOnly("java/consume-byte")
                .memoryPerFileByte(2);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            ByteArrayInputStream in = new ByteArrayInputStream(MemoryByteStreamWrite.written(payload).toByteArray());
            consumer.acceptEach(in::read);
        };
    }
}
