package iogauge.runner.strategies.guava;

import com.google.common.io.CharSource;
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
 * {@link com.google.common.io.CharSource#read} of a file: what it holds is said as for {@code Files.readString}.
 */
public final class GuavaReadText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/guava-read-text", "Guava Files.asCharSource, read()",
                "Guava Files.asCharSource.read", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.UTF16)
                .memoryPerFileByte(5)
                .computeOnly("java/decode-string");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> consumer.accept(Files.asCharSource(new File(path), StandardCharsets.UTF_8).read());
    }
}
