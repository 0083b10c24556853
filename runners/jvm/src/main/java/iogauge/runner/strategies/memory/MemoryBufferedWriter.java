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
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;

/** {@link BufferedWriter#write(String, int, int)} over a {@link StringWriter} of the default capacity. */
public final class MemoryBufferedWriter implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/memory-buffered-writer", "BufferedWriter(StringWriter), write(String)",
                "BufferedWriter, in memory", Unit.BLOCK, 2)
                .memory()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars())
                .memoryPerFileByte(6);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int buffer = opening.parameter("buffer");
        int block = opening.parameter("block");
        return (path, consumer) -> {
            StringWriter memory = new StringWriter();
            try (Writer out = new BufferedWriter(memory, buffer)) {
                Pieces.write(text, block, out::write, consumer);
            }
            consumer.made(memory, made -> Consumer.sumOf(made.toString()));
        };
    }
}
