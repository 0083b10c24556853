package iogauge.runner.strategies.commons;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import org.apache.commons.io.FileUtils;
import org.apache.commons.io.LineIterator;

/** {@link FileUtils#lineIterator}: line after line. */
public final class CommonsLineIterator implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/commons-line-iterator", "Commons IO FileUtils.lineIterator",
                "FileUtils.lineIterator", Unit.LINE, 1)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (LineIterator lines = FileUtils.lineIterator(new File(path), "UTF-8")) {
                consumer.acceptLines(() -> lines.hasNext() ? lines.nextLine() : null);
            }
        };
    }
}
