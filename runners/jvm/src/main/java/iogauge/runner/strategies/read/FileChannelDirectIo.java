package iogauge.runner.strategies.read;

import com.sun.nio.file.ExtendedOpenOption;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Sectors;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** {@link FileChannel#read(ByteBuffer)} into an aligned buffer, around the page cache. */
public final class FileChannelDirectIo implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-direct-io", "FileChannel.open with ExtendedOpenOption.DIRECT, read",
                "ExtendedOpenOption.DIRECT, read", Unit.BLOCK, 4)
                .reusedBuffer()
                .parameters(Sectors.block())
                .computeOnly("java/consume-buffer")
                .bypassesCache();
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = Sectors.buffer(opening);
        return (path, consumer) -> {
            try (FileChannel channel =
                    FileChannel.open(Path.of(path), StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
                do { // a short read is at the end, from where O_DIRECT does not go on
                    channel.read(block.clear());
                    consumer.accept(block.flip());
                } while (block.limit() == block.capacity());
            }
        };
    }
}
