package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** {@link ByteArrayOutputStream#write(byte[])}, all at once, from the default capacity on. */
public final class MemoryByteStreamWrite implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/memory-byte-stream-write", "ByteArrayOutputStream, write(byte[]) of all",
                "ByteArrayOutputStream, all at once", Unit.FILE, 1)
                .memory()
                .memoryPerFileByte(2);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            ByteArrayOutputStream out = written(payload);
            consumer.wrote(payload.length);
            consumer.made(out, made -> Consumer.sumOf(made.toByteArray()));
        };
    }

    /** A new stream that holds the payload. */
    static ByteArrayOutputStream written(byte[] payload) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(payload);
        return out;
    }
}
