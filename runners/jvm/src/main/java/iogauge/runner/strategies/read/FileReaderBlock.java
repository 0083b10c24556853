package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.FileReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** {@link FileReader#read(char[])}: decoded straight into the block, from a buffer of bytes inside the reader. */
public final class FileReaderBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-reader", "FileReader, read(char[])",
                "FileReader", Unit.BLOCK, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars())
                .computeOnly("java/decode-block");
    }

    @Override
    public Operation open(Opening opening) {
        char[] block = new char[opening.parameter("block")];
        return (path, consumer) -> {
            try (Reader in = new FileReader(path, StandardCharsets.UTF_8)) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
