package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@link Files#newInputStream}: a channel behind the stream, and a copy through a buffer of its own. */
public final class FilesInputStream implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/files-input-stream", "Files.newInputStream, read(byte[])",
                "Files.newInputStream", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (InputStream in = Files.newInputStream(Path.of(path))) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
