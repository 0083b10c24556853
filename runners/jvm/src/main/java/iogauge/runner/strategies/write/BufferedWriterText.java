package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedWriter;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * {@link BufferedWriter#write(String, int, int)} before a {@link FileWriter}: characters are collected before they are
 * encoded.
 */
public final class BufferedWriterText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/buffered-writer", "BufferedWriter(FileWriter), write(String)",
                "BufferedWriter", Unit.BLOCK, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars())
                .computeOnly("java/encode-buffered");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int buffer = opening.parameter("buffer");
        int block = opening.parameter("block");
        boolean append = opening.append();
        return (path, consumer) -> {
            try (Writer file = new FileWriter(path, StandardCharsets.UTF_8, append);
                    Writer out = new BufferedWriter(file, buffer)) {
                Pieces.write(text, block, out::write, consumer);
            }
        };
    }
}
