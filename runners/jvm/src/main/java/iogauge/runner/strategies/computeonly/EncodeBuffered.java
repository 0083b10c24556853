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
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Collecting pieces of a text in the buffer of a writer, and encoding that to UTF-8, for nobody. */
public final class EncodeBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/encode-buffered", "encode from a buffer",
                "encoding a String, buffered", Unit.BLOCK, 2)
                .computeOnlyRole()
                .sums(Sums.UTF16)
                .consumes(Consume.NONE)
                .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int buffer = opening.parameter("buffer");
        int block = opening.parameter("block");
        return (path, consumer) -> {
            try (Writer out = new BufferedWriter(
                    new OutputStreamWriter(OutputStream.nullOutputStream(), StandardCharsets.UTF_8), buffer)) {
                Pieces.write(text, block, out::write, consumer);
            }
        };
    }
}
