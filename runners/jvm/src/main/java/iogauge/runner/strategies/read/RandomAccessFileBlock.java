package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.RandomAccessFile;

/** {@link RandomAccessFile#read(byte[])}: a system call per block. */
public final class RandomAccessFileBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/random-access-file", "RandomAccessFile, read(byte[])",
                "RandomAccessFile", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
                Blocks.read(file::read, block, consumer);
            }
        };
    }
}
