package iogauge.runner.strategies.copy;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** {@link FileChannel#transferTo}: the system copies. One call takes less than 2 GiB. */
public final class FileChannelTransferTo implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.copy("java/file-channel-transfer-to", "FileChannel.transferTo(FileChannel)",
                "FileChannel.transferTo", Unit.FILE, 2)
                .noBuffer();
    }

    @Override
    public Operation open(Opening opening) {
        Path source = opening.source();
        return (path, consumer) -> {
            try (FileChannel in = FileChannel.open(source);
                    FileChannel out = FileChannel.open(Path.of(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                            StandardOpenOption.TRUNCATE_EXISTING)) {
                long size = in.size();
                long at = 0;
                while (at < size) {
                    at += in.transferTo(at, size - at, out);
                }
                consumer.wrote(at);
            }
        };
    }
}
