package iogauge.runner.strategies.memory;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.StringReader;

/** {@link StringReader#read()}: a lock taken for each character. */
public final class StringReaderChar implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/string-reader-char", "StringReader, read()",
                "StringReader.read()", Unit.CHAR, 2)
                .memory()
                .sums(Sums.UTF16);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        return (path, consumer) -> {
            StringReader in = new StringReader(text);
            consumer.acceptEach(in::read);
        };
    }
}
