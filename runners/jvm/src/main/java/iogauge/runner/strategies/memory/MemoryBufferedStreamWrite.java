package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;

/**
 * {@link BufferedWriter#write(String)} over a {@link StringWriter}, all at once: the text passes through the buffer, of
 * the default size, piece by piece.
 */
public final class MemoryBufferedStreamWrite implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/memory-buffered-stream-write",
                "BufferedWriter(StringWriter), write(String) of all",
                "BufferedWriter, all at once", Unit.FILE, 1)
                .memory()
                .sums(Sums.UTF16)
                .memoryPerFileByte(6);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        return (path, consumer) -> {
            StringWriter out = written(text);
            consumer.wrote(text.length());
            consumer.made(out, made -> Consumer.sumOf(made.toString()));
        };
    }

    /** A new writer that holds the text. */
    static StringWriter written(String text) throws IOException {
        StringWriter memory = new StringWriter();
        try (Writer out = new BufferedWriter(memory)) {
            out.write(text);
        }
        return memory;
    }
}
