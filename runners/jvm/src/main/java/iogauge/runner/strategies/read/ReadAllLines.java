package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@link Files#readAllLines(Path)}: all lines in a list. What it holds is said for lines of some 20 characters or more;
 * an object and its place in the list are ten times as large as a line of a few characters.
 */
public final class ReadAllLines implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/read-all-lines", "Files.readAllLines",
                "Files.readAllLines", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .memoryPerFileByte(3)
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            for (String line : Files.readAllLines(Path.of(path))) {
                consumer.acceptLine(line);
            }
        };
    }
}
