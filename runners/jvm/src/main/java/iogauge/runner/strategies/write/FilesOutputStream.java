package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** {@link Files#newOutputStream}: a channel behind the stream, and a copy through a buffer of its own. */
public final class FilesOutputStream implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/files-output-stream", "Files.newOutputStream, write(byte[])",
                "Files.newOutputStream", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .durabilities(Durability.NONE, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        OpenOption[] options = opening.options();
        return (path, consumer) -> {
            try (OutputStream out = Files.newOutputStream(Path.of(path), options)) {
                Pieces.write(payload, block, out::write, consumer);
            }
        };
    }
}
