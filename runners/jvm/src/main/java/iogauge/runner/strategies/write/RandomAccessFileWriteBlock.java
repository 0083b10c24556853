package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.RandomAccessFile;

/** {@link RandomAccessFile#write(byte[], int, int)}: each block goes to the system. */
public final class RandomAccessFileWriteBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/random-access-file-write", "RandomAccessFile, write(byte[])",
                "RandomAccessFile", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        boolean append = opening.append();
        Durability durability = opening.durability();
        String mode = RandomAccessFiles.mode(opening);
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, mode)) {
                RandomAccessFiles.begin(file, append);
                Pieces.write(payload, block, file::write, consumer);
                durability.finish(file);
            }
        };
    }
}
