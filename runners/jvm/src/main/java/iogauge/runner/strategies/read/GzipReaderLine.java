package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

/** {@link BufferedReader#readLine} over a {@link GZIPInputStream}. */
public final class GzipReaderLine implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/gzip-reader-line", "BufferedReader over GZIPInputStream, readLine()",
                "GZIPInputStream, readLine", Unit.LINE, 2)
                .newBuffer()
                .gzip()
                .sums(Sums.LINE_UTF16)
                .tripsOn("lone-cr")
                .parameters(Parameter.gzipBuffer())
                .computeOnly("java/decode-line");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        return (path, consumer) -> {
            try (FileInputStream file = new FileInputStream(path);
                    InputStream unpacked = new GZIPInputStream(file, buffer);
                    BufferedReader in =
                            new BufferedReader(new InputStreamReader(unpacked, StandardCharsets.UTF_8))) {
                consumer.acceptLines(in::readLine);
            }
        };
    }
}
