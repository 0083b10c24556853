package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import org.kohsuke.MetaInfServices;

/** {@link FileInputStream#read(byte[])}: a system call per block. */
@MetaInfServices(Strategy.class)
public final class FileInputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-input-stream", "FileInputStream, read(byte[])",
                Unit.BLOCK, 2)
                .parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) {
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path)) {
                int length;
                while ((length = in.read(block)) >= 0) {
                    consumer.accept(block, length);
                }
            }
        };
    }
}
