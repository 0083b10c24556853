package iogauge.runner.strategies.commons;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.File;
import org.apache.commons.io.FileUtils;

/** {@link FileUtils#readFileToByteArray}: less than 2 GiB. */
public final class CommonsReadBytes implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/commons-read-bytes", "Commons IO FileUtils.readFileToByteArray",
                "FileUtils.readFileToByteArray", Unit.FILE, 1)
                .newBuffer()
                .memoryPerFileByte(1)
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            byte[] content = FileUtils.readFileToByteArray(new File(path));
            consumer.accept(content, content.length);
        };
    }
}
