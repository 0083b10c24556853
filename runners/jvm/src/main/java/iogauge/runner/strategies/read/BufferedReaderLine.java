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

/** {@link BufferedReader#readLine}. */
public final class BufferedReaderLine implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/buffered-reader-line", "BufferedReader, readLine()",
                "BufferedReader.readLine", Unit.LINE, 2)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .parameters(Parameter.bufferOfChars())
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (FileReader file = new FileReader(path, StandardCharsets.UTF_8);
                    BufferedReader in = new BufferedReader(file, buffer)) {
                consumer.acceptLines(in::readLine);
            }
        };
    }
}
