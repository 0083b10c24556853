package iogauge.runner.strategies.guava;

import com.google.common.io.Files;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.File;

/** {@link com.google.common.io.ByteSource#copyTo(com.google.common.io.ByteSink)}: what {@code Files.copy} does too. */
public final class GuavaCopy implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/guava-copy", "Guava Files.asByteSource, copyTo(ByteSink)",
                "Guava ByteSource.copyTo", Unit.FILE, 1)
                .newBuffer();
    }

    @Override
    public Operation open(Opening opening) {
        File source = opening.source().toFile();
        return (path, consumer) -> {
            consumer.wrote(Files.asByteSource(source).copyTo(Files.asByteSink(new File(path))));
        };
    }
}
