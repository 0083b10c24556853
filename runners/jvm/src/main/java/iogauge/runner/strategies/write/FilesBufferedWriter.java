package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** {@link Files#newBufferedWriter(Path, OpenOption...)}: a {@link BufferedWriter} of the default size. */
public final class FilesBufferedWriter implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/files-buffered-writer", "Files.newBufferedWriter, write(String)",
                "Files.newBufferedWriter", Unit.BLOCK, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars())
                .durabilities(Durability.NONE, Durability.DSYNC)
                .computeOnly("java/encode-buffered");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int block = opening.parameter("block");
        OpenOption[] options = opening.options();
        return (path, consumer) -> {
            try (BufferedWriter out = Files.newBufferedWriter(Path.of(path), options)) {
                Pieces.write(text, block, out::write, consumer);
            }
        };
    }
}
