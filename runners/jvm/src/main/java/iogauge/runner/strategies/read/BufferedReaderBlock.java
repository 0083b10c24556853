package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedReader;
import java.io.FileReader;
import java.nio.charset.StandardCharsets;

/** {@link BufferedReader#read(char[])}: a block that is no smaller than the reader's buffer passes it by. */
public final class BufferedReaderBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/buffered-reader", "BufferedReader, read(char[])",
                "BufferedReader", Unit.BLOCK, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars())
                .computeOnly("java/decode-block-buffered");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        char[] block = new char[opening.parameter("block")];
        return (path, consumer) -> {
            try (FileReader file = new FileReader(path, StandardCharsets.UTF_8);
                    BufferedReader in = new BufferedReader(file, buffer)) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
