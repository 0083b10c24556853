package iogauge.runner.strategies.write;

import com.sun.nio.file.ExtendedOpenOption;
import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Mode;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Sectors;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;

/** {@link FileChannel#write(ByteBuffer)} of an aligned buffer, around the page cache; the last sector is written whole, then cut. */
public final class FileChannelWriteDirectIo implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-channel-write-direct-io", "FileChannel.open with ExtendedOpenOption.DIRECT, write",
                "ExtendedOpenOption.DIRECT", Unit.BLOCK, 4)
                .reusedBuffer()
                .parameters(Sectors.block())
                .modes(Mode.TRUNCATE)
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC)
                .bypassesCache();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        ByteBuffer block = Sectors.buffer(opening);
        Durability durability = opening.durability();
        OpenOption[] others = opening.options();
        OpenOption[] options = Arrays.copyOf(others, others.length + 1);
        options[others.length] = ExtendedOpenOption.DIRECT;
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path), options)) {
                int length;
                for (int at = 0; at < payload.length; at += length) {
                    length = Math.min(block.capacity(), payload.length - at);
                    block.clear().put(payload, at, length).position(0).limit(Sectors.whole(length));
                    while (block.hasRemaining()) {
                        channel.write(block);
                    }
                    consumer.wrote(length);
                }
                Overwritten.cut(channel, payload.length, durability);
                durability.finish(channel);
            }
        };
    }
}
