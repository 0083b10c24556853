package iogauge.runner.strategies.copy;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;

/**
 * {@link InputStream#transferTo} from a {@link FileInputStream} to a {@link FileOutputStream}. On 17 it allocates a buffer for
 * that; on 25 the kernel copies.
 */
public final class StreamTransferTo implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/stream-transfer-to", "FileInputStream, transferTo(FileOutputStream)",
                "InputStream.transferTo", Unit.FILE, 1)
                .newBuffer();
    }

    @Override
    public Operation open(Opening opening) {
        String source = opening.source().toString();
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(source); FileOutputStream out = new FileOutputStream(path)) {
                consumer.wrote(in.transferTo(out));
            }
        };
    }
}
