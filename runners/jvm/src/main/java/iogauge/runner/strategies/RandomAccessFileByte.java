package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.RandomAccessFile;
import org.kohsuke.MetaInfServices;

/** {@link RandomAccessFile#read()}: a system call per byte. */
@MetaInfServices(Strategy.class)
public final class RandomAccessFileByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/random-access-file-byte", "RandomAccessFile, read()",
                Unit.BYTE, 2);
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
                consumer.acceptEach(file::read);
            }
        };
    }
}
