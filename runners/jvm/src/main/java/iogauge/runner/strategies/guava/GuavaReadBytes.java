package iogauge.runner.strategies.guava;

import com.google.common.io.Files;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.File;

/** {@link Files#toByteArray}: less than 2 GiB. */
public final class GuavaReadBytes implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/guava-read-bytes", "Guava Files.toByteArray",
                "Guava Files.toByteArray", Unit.FILE, 1)
                .newBuffer()
                .memoryPerFileByte(1)
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            byte[] content = Files.toByteArray(new File(path));
            consumer.accept(content, content.length);
        };
    }
}
