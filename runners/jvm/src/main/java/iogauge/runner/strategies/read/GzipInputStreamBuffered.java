package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** {@link GZIPInputStream}, which takes 512 bytes at a time, over a {@link BufferedInputStream}. */
public final class GzipInputStreamBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/gzip-input-stream-buffered", "GZIPInputStream(BufferedInputStream), read(byte[])",
                "GZIPInputStream, buffered", Unit.BLOCK, 2)
                .newBuffer()
                .gzip()
                .parameters(Parameter.buffer(), Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (FileInputStream file = new FileInputStream(path);
                    InputStream in = new GZIPInputStream(new BufferedInputStream(file, buffer))) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
