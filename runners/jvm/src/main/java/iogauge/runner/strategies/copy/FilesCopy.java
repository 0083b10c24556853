package iogauge.runner.strategies.copy;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** {@link Files#copy(Path, Path, CopyOption...)}, which removes the file that is there first. */
public final class FilesCopy implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/files-copy", "Files.copy(Path, Path, REPLACE_EXISTING)",
                "Files.copy", Unit.FILE, 1)
                .noBuffer()
                .replaces();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        Path source = opening.source();
        long length = Files.size(source);
        return (path, consumer) -> {
            Files.copy(source, Path.of(path), StandardCopyOption.REPLACE_EXISTING);
            consumer.wrote(length);
        };
    }
}
