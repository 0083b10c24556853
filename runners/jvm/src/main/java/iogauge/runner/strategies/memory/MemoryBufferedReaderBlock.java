package iogauge.runner.strategies.memory;

import iogauge.runner.Blocks;
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

/**
 * {@link BufferedReader#read(char[])} over a {@link StringReader}: a block that is no smaller than the reader's
 * buffer passes it by.
 */
public final class MemoryBufferedReaderBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-buffered-reader", "BufferedReader(StringReader), read(char[])",
                "BufferedReader, in memory", Unit.BLOCK, 2)
                .memory()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int buffer = opening.parameter("buffer");
        char[] block = new char[opening.parameter("block")];
        return (path, consumer) -> {
            try (BufferedReader in = new BufferedReader(new StringReader(text), buffer)) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
