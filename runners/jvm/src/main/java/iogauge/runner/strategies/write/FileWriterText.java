package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** {@link FileWriter#write(String, int, int)}: characters are encoded into a buffer inside the writer. */
public final class FileWriterText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-writer", "FileWriter, write(String)",
                "FileWriter", Unit.BLOCK, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars())
                .computeOnly("java/encode");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int block = opening.parameter("block");
        boolean append = opening.append();
        return (path, consumer) -> {
            try (Writer out = new FileWriter(path, StandardCharsets.UTF_8, append)) {
                Pieces.write(text, block, out::write, consumer);
            }
        };
    }
}
