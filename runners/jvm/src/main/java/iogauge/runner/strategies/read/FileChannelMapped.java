package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * {@link FileChannel#open}, the whole file as one {@link java.nio.MappedByteBuffer}: less than 2 GiB, unmapped by
 * the collector.
 */
public final class FileChannelMapped implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-mapped", "FileChannel.open, MappedByteBuffer",
                "FileChannel.map", Unit.FILE, 4)
                .mapped()
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                consumer.accept(channel.map(MapMode.READ_ONLY, 0, channel.size()));
            }
        };
    }
}
