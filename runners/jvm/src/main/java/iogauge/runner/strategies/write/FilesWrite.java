package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** {@link Files#write(Path, byte[], OpenOption...)}. */
public final class FilesWrite implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/files-write", "Files.write(byte[])",
                "Files.write", Unit.FILE, 1)
                .reusedBuffer()
                .durabilities(Durability.NONE, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        OpenOption[] options = opening.options();
        return (path, consumer) -> {
            Files.write(Path.of(path), payload, options);
            consumer.wrote(payload.length);
        };
    }
}
