package iogauge.runner.strategies.memory;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;

/**
 * {@link BufferedReader#readLine} to the end, of what the same operation has written into memory just before. The text
 * may be one line, which is then collected in memory once more.
 */
public final class MemoryBufferedStreamRead implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-buffered-stream-read", "BufferedWriter, then BufferedReader, readLine()",
                "BufferedReader, as published", Unit.LINE, 2)
                .memory()
                .sums(Sums.LINE_UTF16)
                .publishedRole()
                .memoryPerFileByte(12);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        return (path, consumer) -> {
            String written = MemoryBufferedStreamWrite.written(text).toString();
            try (BufferedReader in = new BufferedReader(new StringReader(written))) {
                consumer.acceptLines(in::readLine);
            }
        };
    }
}
