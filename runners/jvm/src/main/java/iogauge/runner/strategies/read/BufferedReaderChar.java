package iogauge.runner.strategies.read;

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

/** {@link BufferedReader#read()}: characters out of the reader's own buffer. */
public final class BufferedReaderChar implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/buffered-reader-char", "BufferedReader, read()",
                "BufferedReader.read()", Unit.CHAR, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars())
                .computeOnly("java/decode-char-buffered");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (FileReader file = new FileReader(path, StandardCharsets.UTF_8);
                    BufferedReader in = new BufferedReader(file, buffer)) {
                consumer.acceptEach(in::read);
            }
        };
    }
}
