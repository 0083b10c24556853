package iogauge.runner.strategies.guava;

import com.google.common.io.FileWriteMode;
import com.google.common.io.Files;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.File;
import java.io.IOException;

/** {@link com.google.common.io.ByteSink#write} of a file. */
public final class GuavaWriteBytes implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/guava-write-bytes", "Guava Files.asByteSink, write(byte[])",
                "Guava Files.asByteSink.write", Unit.FILE, 1)
                .reusedBuffer();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        FileWriteMode[] modes = GuavaModes.of(opening);
        return (path, consumer) -> {
            Files.asByteSink(new File(path), modes).write(payload);
            consumer.wrote(payload.length);
        };
    }
}
