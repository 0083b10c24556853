package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * {@link FileInputStream#getChannel()}, the whole file as one {@link java.nio.MappedByteBuffer}: less than 2 GiB,
 * unmapped by the collector.
 */
public final class StreamChannelMapped implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/stream-channel-mapped", "FileInputStream.getChannel, MappedByteBuffer",
                "FileInputStream.getChannel, mapped", Unit.FILE, 4)
                .mapped()
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path);
                    FileChannel channel = in.getChannel()) {
                consumer.accept(channel.map(MapMode.READ_ONLY, 0, channel.size()));
            }
        };
    }
}
