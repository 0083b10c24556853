package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;

/** {@link FileInputStream#readAllBytes}: less than 2 GiB. */
public final class StreamReadAllBytes implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/stream-read-all-bytes", "FileInputStream, readAllBytes()",
                "FileInputStream.readAllBytes", Unit.FILE, 1)
                .newBuffer()
                .memoryPerFileByte(1)
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path)) {
                byte[] content = in.readAllBytes();
                consumer.accept(content, content.length);
            }
        };
    }
}
