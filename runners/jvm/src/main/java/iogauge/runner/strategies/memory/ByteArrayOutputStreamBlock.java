package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** {@link ByteArrayOutputStream#write(byte[], int, int)}, from the default capacity on. */
public final class ByteArrayOutputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/byte-array-output-stream", "ByteArrayOutputStream, write(byte[])",
                "ByteArrayOutputStream", Unit.BLOCK, 2)
                .memory()
                .parameters(Parameter.block())
                .memoryPerFileByte(3);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Pieces.write(payload, block, out::write, consumer);
            consumer.made(out, made -> Consumer.sumOf(made.toByteArray()));
        };
    }
}
