package iogauge.runner.strategies.commons;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.commons.io.IOUtils;

/**
 * {@link IOUtils#copyLarge(InputStream, OutputStream)} from a {@link FileInputStream} to a {@link FileOutputStream}.
 */
public final class CommonsCopy implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/commons-copy", "Commons IO IOUtils.copyLarge",
                "IOUtils.copyLarge", Unit.FILE, 1)
                .newBuffer();
    }

    @Override
    public Operation open(Opening opening) {
        String source = opening.source().toString();
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(source); FileOutputStream out = new FileOutputStream(path)) {
                consumer.wrote(IOUtils.copyLarge(in, out));
            }
        };
    }
}
