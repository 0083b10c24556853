package iogauge.runner.strategies.memory;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;

/** {@link BufferedReader#read()} over a {@link StringReader}. */
public final class MemoryBufferedReaderChar implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-buffered-reader-char", "BufferedReader(StringReader), read()",
                "BufferedReader.read(), in memory", Unit.CHAR, 2)
                .memory()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (BufferedReader in = new BufferedReader(new StringReader(text), buffer)) {
                consumer.acceptEach(in::read);
            }
        };
    }
}
