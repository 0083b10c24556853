package iogauge.runner.strategies.memory;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.io.StringReader;

/** {@link StringReader#read(char[])}. */
public final class StringReaderBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/string-reader", "StringReader, read(char[])",
                "StringReader", Unit.BLOCK, 2)
                .memory()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        char[] block = new char[opening.parameter("block")];
        return (path, consumer) -> {
            StringReader in = new StringReader(text);
            Blocks.read(in::read, block, consumer);
        };
    }
}
