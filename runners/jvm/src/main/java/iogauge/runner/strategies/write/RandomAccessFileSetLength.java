package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Mode;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * {@link RandomAccessFile#setLength} to the final size, then {@link RandomAccessFile#write(byte[], int, int)}. The
 * file has its size then, but no blocks: Java has no call for these.
 */
public final class RandomAccessFileSetLength implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/random-access-file-set-length", "RandomAccessFile, setLength and write(byte[])",
                "RandomAccessFile.setLength, write", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .modes(Mode.TRUNCATE)
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        Durability durability = opening.durability();
        String mode = RandomAccessFiles.mode(opening);
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, mode)) {
                file.setLength(0);
                file.setLength(payload.length);
                Pieces.write(payload, block, file::write, consumer);
                durability.finish(file);
            }
        };
    }
}
