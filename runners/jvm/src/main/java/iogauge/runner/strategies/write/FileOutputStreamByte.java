package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileOutputStream;
import java.io.IOException;

/** {@link FileOutputStream#write(int)}: a system call per byte. */
public final class FileOutputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-output-stream-byte", "FileOutputStream, write(int)",
                "FileOutputStream.write(int)", Unit.BYTE, 2)
                .noBuffer()
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        boolean append = opening.append();
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream out = new FileOutputStream(path, append)) {
                Pieces.writeEach(payload, out::write, consumer);
                durability.finish(out);
            }
        };
    }
}
