package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.FileReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** {@link FileReader#read()}: characters out of the decoder's own buffer, two at a time. */
public final class FileReaderChar implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-reader-char", "FileReader, read()",
                "FileReader.read()", Unit.CHAR, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .computeOnly("java/decode-char");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (Reader in = new FileReader(path, StandardCharsets.UTF_8)) {
                consumer.acceptEach(in::read);
            }
        };
    }
}
