package iogauge.runner.strategies.random;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * The whole file as one {@link java.nio.MappedByteBuffer}, looked at block by block: less than 2 GiB, unmapped by the
 * collector.
 */
public final class FileChannelRandomMapped implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-random-mapped", "FileChannel.open, MappedByteBuffer at positions",
                "FileChannel.map", Unit.BLOCK, 4)
                .random()
                .parameters(Parameter.block())
                .mapped()
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                ByteBuffer mapping = channel.map(MapMode.READ_ONLY, 0, channel.size());
                for (long offset : offsets) {
                    consumer.at(offset);
                    consumer.accept(mapping.limit(Math.toIntExact(offset + block)).position((int) offset));
                }
            }
        };
    }
}
