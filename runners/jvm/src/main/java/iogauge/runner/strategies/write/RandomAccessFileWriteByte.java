package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.RandomAccessFile;

/** {@link RandomAccessFile#write(int)}: a system call per byte. */
public final class RandomAccessFileWriteByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/random-access-file-write-byte", "RandomAccessFile, write(int)",
                "RandomAccessFile.write(int)", Unit.BYTE, 2)
                .noBuffer()
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        boolean append = opening.append();
        Durability durability = opening.durability();
        String mode = RandomAccessFiles.mode(opening);
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, mode)) {
                RandomAccessFiles.begin(file, append);
                Pieces.writeEach(payload, file::write, consumer);
                durability.finish(file);
            }
        };
    }
}
