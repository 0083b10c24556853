package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** {@link Files#lines(Path)}: a stream that reads line after line as it is asked for them. */
public final class Lines implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/lines", "Files.lines, forEach",
                "Files.lines", Unit.LINE, 1)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (Stream<String> lines = Files.lines(Path.of(path))) {
                lines.forEach(consumer::acceptLine);
            }
        };
    }
}
