package iogauge.runner.strategies.write;

import com.sun.nio.file.ExtendedOpenOption;
import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Mode;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
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

    /** What the system wants of addresses and lengths, at most. */
    private static final int SECTOR = 4096;

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-channel-write-direct-io", "FileChannel.open with ExtendedOpenOption.DIRECT, write",
                "ExtendedOpenOption.DIRECT", Unit.BLOCK, 4)
                .reusedBuffer()
                .parameters(new Parameter("block", 1 << 20, SECTOR, 1 << 26, "bytes", "piece",
                        "bytes of the aligned buffer, rounded up to a multiple of 4096"))
                .modes(Mode.TRUNCATE)
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC)
                .bypassesCache();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int size = wholeSectors(opening.parameter("block"));
        ByteBuffer block = ByteBuffer.allocateDirect(size + SECTOR).alignedSlice(SECTOR).limit(size).slice();
        Durability durability = opening.durability();
        OpenOption[] others = opening.options();
        OpenOption[] options = Arrays.copyOf(others, others.length + 1);
        options[others.length] = ExtendedOpenOption.DIRECT;
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path), options)) {
                int length;
                for (int at = 0; at < payload.length; at += length) {
                    length = Math.min(size, payload.length - at);
                    block.clear().put(payload, at, length).position(0).limit(wholeSectors(length));
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

    private static int wholeSectors(int length) {
        return (length + SECTOR - 1) / SECTOR * SECTOR;
    }
}
