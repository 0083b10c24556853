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

/** {@link BufferedOutputStream#write(int)}: bytes into the stream's own buffer. */
public final class BufferedOutputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/buffered-output-stream-byte", "BufferedOutputStream, write(int)",
                "BufferedOutputStream.write(int)", Unit.BYTE, 2)
                .newBuffer()
                .parameters(Parameter.buffer())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int buffer = opening.parameter("buffer");
        boolean append = opening.append();
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream file = new FileOutputStream(path, append);
                    OutputStream out = new BufferedOutputStream(file, buffer)) {
                Pieces.writeEach(payload, out::write, consumer);
                durability.finish(out, file);
            }
        };
    }
}
