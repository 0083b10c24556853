package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * {@link BufferedOutputStream#write(byte[], int, int)}: a block that is no smaller than the stream's buffer passes it
 * by.
 */
public final class BufferedOutputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/buffered-output-stream", "BufferedOutputStream, write(byte[])",
                "BufferedOutputStream", Unit.BLOCK, 2)
                .newBuffer()
                .parameters(Parameter.buffer(), Parameter.block())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int buffer = opening.parameter("buffer");
        int block = opening.parameter("block");
        boolean append = opening.append();
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream file = new FileOutputStream(path, append);
                    OutputStream out = new BufferedOutputStream(file, buffer)) {
                Pieces.write(payload, block, out::write, consumer);
                durability.finish(out, file);
            }
        };
    }
}
