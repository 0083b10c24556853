package iogauge.runner.strategies.guava;

import com.google.common.io.Files;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import java.nio.charset.StandardCharsets;

/**
 * {@link Files#readLines(File, java.nio.charset.Charset)}: all lines in a list; what it holds is said as for {@code
 * Files.readAllLines}.
 */
public final class GuavaReadLines implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/guava-read-lines", "Guava Files.readLines",
                "Guava Files.readLines", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .memoryPerFileByte(3)
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            for (String line : Files.readLines(new File(path), StandardCharsets.UTF_8)) {
                consumer.acceptLine(line);
            }
        };
    }
}
