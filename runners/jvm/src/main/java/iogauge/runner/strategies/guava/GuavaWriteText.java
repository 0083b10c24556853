package iogauge.runner.strategies.guava;

import com.google.common.io.FileWriteMode;
import com.google.common.io.Files;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** {@link com.google.common.io.CharSink#write} of a file. */
public final class GuavaWriteText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/guava-write-text", "Guava Files.asCharSink, write(CharSequence)",
                "Guava Files.asCharSink.write", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.UTF16)
                .computeOnly("java/encode");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        FileWriteMode[] modes = GuavaModes.of(opening);
        return (path, consumer) -> {
            Files.asCharSink(new File(path), StandardCharsets.UTF_8, modes).write(text);
            consumer.wrote(text.length());
        };
    }
}
