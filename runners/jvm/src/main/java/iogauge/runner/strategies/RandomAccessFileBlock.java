package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.RandomAccessFile;
import org.kohsuke.MetaInfServices;

/** {@link RandomAccessFile#read(byte[])}: a system call per block. */
@MetaInfServices(Strategy.class)
public final class RandomAccessFileBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/random-access-file", "RandomAccessFile, read(byte[])",
                Unit.BLOCK, 2)
                .parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) {
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
                int length;
                while ((length = file.read(block)) >= 0) {
                    consumer.accept(block, length);
                }
            }
        };
    }
}
