package iogauge.runner.strategies.published;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@link Files#readAllBytes}, and summing byte by byte. */
public final class PublishedReadAllBytes implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/published-read-all-bytes", "Files.readAllBytes, each byte summed",
                "Files.readAllBytes, as published", Unit.FILE, 1)
                .newBuffer()
                .publishedRole()
                .consumes(Consume.SUM)
                .memoryPerFileByte(1)
                .computeOnly("java/sum-array-byte-by-byte");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            byte[] content = Files.readAllBytes(Path.of(path));
            consumer.summed(content.length, ByteByByte.sum(content, 0, content.length));
        };
    }
}
