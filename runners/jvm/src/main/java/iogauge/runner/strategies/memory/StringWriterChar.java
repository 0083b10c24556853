package iogauge.runner.strategies.memory;

import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.StringWriter;

/** {@link StringWriter#write(int)}, from the default capacity on: a lock taken for each character. */
public final class StringWriterChar implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/string-writer-char", "StringWriter, write(int)",
                "StringWriter.write(int)", Unit.CHAR, 2)
                .memory()
                .sums(Sums.UTF16)
                .memoryPerFileByte(6);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        return (path, consumer) -> {
            StringWriter out = new StringWriter();
            Pieces.writeEach(text, out::write, consumer);
            consumer.made(out, made -> Consumer.sumOf(made.toString()));
        };
    }
}
