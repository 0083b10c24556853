package iogauge.runner.strategies.commons;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import java.nio.charset.StandardCharsets;
import org.apache.commons.io.FileUtils;

/**
 * {@link FileUtils#readFileToString}: decodes block by block into a builder that grows, and copies that into the
 * text.
 */
public final class CommonsReadText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/commons-read-text", "Commons IO FileUtils.readFileToString",
                "FileUtils.readFileToString", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.UTF16)
                .memoryPerFileByte(6)
                .computeOnly("java/decode-string");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> consumer.accept(FileUtils.readFileToString(new File(path), StandardCharsets.UTF_8));
    }
}
