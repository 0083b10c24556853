package iogauge.runner.strategies.memory;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.StringReader;

/** {@link StringReader#read()}, of what the same operation has written into memory just before. */
public final class MemoryCharStreamRead implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-char-stream-read", "StringWriter, then StringReader, read()",
                "StringReader, as published", Unit.CHAR, 2)
                .memory()
                .sums(Sums.UTF16)
                .publishedRole()
                .memoryPerFileByte(4);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        return (path, consumer) -> {
            StringReader in = new StringReader(MemoryCharStreamWrite.written(text).toString());
            consumer.acceptEach(in::read);
        };
    }
}
