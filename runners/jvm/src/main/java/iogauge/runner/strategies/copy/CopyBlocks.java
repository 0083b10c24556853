package iogauge.runner.strategies.copy;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.FileOutputStream;

/** {@link FileInputStream#read(byte[])} and {@link FileOutputStream#write(byte[], int, int)}. */
public final class CopyBlocks implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/copy-blocks", "FileInputStream.read(byte[]), FileOutputStream.write",
                "FileInputStream, FileOutputStream", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) {
        String source = opening.source().toString();
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(source); FileOutputStream out = new FileOutputStream(path)) {
                int length;
                while ((length = in.read(block)) >= 0) {
                    out.write(block, 0, length);
                    consumer.wrote(length);
                }
            }
        };
    }
}
