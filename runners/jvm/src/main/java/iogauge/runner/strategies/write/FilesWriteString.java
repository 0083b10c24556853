package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * {@link Files#writeString}: all of it is encoded at once. At its peak it holds the bytes and a copy of them.
 */
public final class FilesWriteString implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/files-write-string", "Files.writeString",
                "Files.writeString", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.UTF16)
                .memoryPerFileByte(3)
                .durabilities(Durability.NONE, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        OpenOption[] options = opening.options();
        return (path, consumer) -> {
            Files.writeString(Path.of(path), text, options);
            consumer.wrote(text.length());
        };
    }
}
