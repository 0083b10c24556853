package iogauge.runner.strategies.commons;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.commons.io.FileUtils;

/**
 * {@link FileUtils#readLines}: all lines in a list; what it holds is said as for {@code Files.readAllLines}.
 */
public final class CommonsReadLines implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/commons-read-lines", "Commons IO FileUtils.readLines",
                "FileUtils.readLines", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .memoryPerFileByte(3)
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            for (String line : FileUtils.readLines(new File(path), StandardCharsets.UTF_8)) {
                consumer.acceptLine(line);
            }
        };
    }
}
