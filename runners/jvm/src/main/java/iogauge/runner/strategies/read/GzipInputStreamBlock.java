package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** {@link GZIPInputStream} over a file stream: each call of the kernel fills its buffer, of 512 bytes by itself. */
public final class GzipInputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/gzip-input-stream", "GZIPInputStream(FileInputStream, N), read(byte[])",
                "GZIPInputStream", Unit.BLOCK, 2)
                .newBuffer()
                .gzip()
                .parameters(Parameter.gzipBuffer(), Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        int buffer = opening.parameter("buffer");
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (FileInputStream file = new FileInputStream(path);
                    InputStream in = new GZIPInputStream(file, buffer)) {
                Blocks.read(in::read, block, consumer);
            }
        };
    }
}
