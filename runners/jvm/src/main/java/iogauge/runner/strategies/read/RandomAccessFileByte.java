package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.RandomAccessFile;

/** {@link RandomAccessFile#read()}: a system call per byte. */
public final class RandomAccessFileByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/random-access-file-byte", "RandomAccessFile, read()",
                "RandomAccessFile.read()", Unit.BYTE, 2)
                .noBuffer()
                .computeOnly("java/consume-byte");
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
