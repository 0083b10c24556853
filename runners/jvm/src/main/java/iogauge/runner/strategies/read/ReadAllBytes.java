package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@link Files#readAllBytes}: less than 2 GiB. */
public final class ReadAllBytes implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/read-all-bytes", "Files.readAllBytes",
                "Files.readAllBytes", Unit.FILE, 1)
                .newBuffer()
                .memoryPerFileByte(1)
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            byte[] content = Files.readAllBytes(Path.of(path));
            consumer.accept(content, content.length);
        };
    }
}
