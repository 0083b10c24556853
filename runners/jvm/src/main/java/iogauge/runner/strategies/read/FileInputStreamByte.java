package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;

/** {@link FileInputStream#read()}: a system call per byte. */
public final class FileInputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-input-stream-byte", "FileInputStream, read()",
                "FileInputStream.read()", Unit.BYTE, 2)
                .noBuffer()
                .computeOnly("java/consume-byte");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path)) {
                consumer.acceptEach(in::read);
            }
        };
    }
}
