package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.StringWriter;

/** {@link StringWriter#write(String)}, all at once, from the default capacity on. */
public final class MemoryCharStreamWrite implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/memory-char-stream-write", "StringWriter, write(String) of all",
                "StringWriter, all at once", Unit.FILE, 1)
                .memory()
                .sums(Sums.UTF16)
                .memoryPerFileByte(4);
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
    static StringWriter written(String text) {
        StringWriter out = new StringWriter();
        out.write(text);
        return out;
    }
}
