package iogauge.runner.strategies.computeonly;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Encoding pieces of a text to UTF-8, for nobody: what a {@link java.io.FileWriter} does besides I/O. */
public final class Encode implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/encode", "encode from a String",
                "encoding a String", Unit.BLOCK, 2)
                .computeOnlyRole()
                .sums(Sums.UTF16)
                .consumes(Consume.NONE)
                .parameters(Parameter.blockOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            try (Writer out = new OutputStreamWriter(OutputStream.nullOutputStream(), StandardCharsets.UTF_8)) {
                Pieces.write(text, block, out::write, consumer);
            }
        };
    }
}
