package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.StringWriter;

/**
 * {@link StringWriter#write(String, int, int)}, from the default capacity on. Java 17 appends such a piece character by
 * character.
 */
public final class StringWriterText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/string-writer", "StringWriter, write(String)",
                "StringWriter", Unit.BLOCK, 2)
                .memory()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars())
                .memoryPerFileByte(6);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            StringWriter out = new StringWriter();
            Pieces.write(text, block, out::write, consumer);
            consumer.made(out, made -> Consumer.sumOf(made.toString()));
        };
    }
}
