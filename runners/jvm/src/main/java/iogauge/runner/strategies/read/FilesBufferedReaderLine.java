package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@link Files#newBufferedReader(Path)}: a {@link BufferedReader} of the default size that refuses what is no UTF-8.
 */
public final class FilesBufferedReaderLine implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/files-buffered-reader-line", "Files.newBufferedReader, readLine()",
                "Files.newBufferedReader.readLine", Unit.LINE, 2)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (BufferedReader in = Files.newBufferedReader(Path.of(path))) {
                consumer.acceptLines(in::readLine);
            }
        };
    }
}
