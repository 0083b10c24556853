package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** {@link ByteArrayOutputStream#write(int)}, from the default capacity on: a lock taken for each byte. */
public final class ByteArrayOutputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/byte-array-output-stream-byte", "ByteArrayOutputStream, write(int)",
                "ByteArrayOutputStream.write(int)", Unit.BYTE, 2)
                .memory()
                .memoryPerFileByte(3);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Pieces.writeEach(payload, out::write, consumer);
            consumer.made(out, made -> Consumer.sumOf(made.toByteArray()));
        };
    }
}
