package iogauge.runner.strategies.random;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.RandomAccessFile;

/** {@link RandomAccessFile#seek} and {@link RandomAccessFile#readFully(byte[])}: two system calls per block. */
public final class RandomAccessFileRandom implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/random-access-file-random", "RandomAccessFile, seek and readFully(byte[])",
                "RandomAccessFile.seek, readFully", Unit.BLOCK, 2)
                .reusedBuffer()
                .random()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
                for (long offset : offsets) {
                    file.seek(offset);
                    file.readFully(block);
                    consumer.at(offset);
                    consumer.accept(block, block.length);
                }
            }
        };
    }
}
