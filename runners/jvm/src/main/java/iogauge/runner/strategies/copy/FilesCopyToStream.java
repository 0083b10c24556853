package iogauge.runner.strategies.copy;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@link Files#copy(Path, OutputStream)}. On 17 it allocates a buffer for that; on 25 the kernel copies. */
public final class FilesCopyToStream implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/files-copy-to-stream", "Files.copy(Path, OutputStream)",
                "Files.copy(Path, OutputStream)", Unit.FILE, 1)
                .newBuffer();
    }

    @Override
    public Operation open(Opening opening) {
        Path source = opening.source();
        return (path, consumer) -> {
            try (OutputStream out = Files.newOutputStream(Path.of(path))) {
                consumer.wrote(Files.copy(source, out));
            }
        };
    }
}
