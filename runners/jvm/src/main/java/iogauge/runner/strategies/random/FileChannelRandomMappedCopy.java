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
 * The whole file as one {@link java.nio.MappedByteBuffer}, copied block by block into an array: less than 2 GiB.
 */
public final class FileChannelRandomMappedCopy implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-random-mapped-copy", "FileChannel.open, MappedByteBuffer.get(position, byte[])",
                "FileChannel.map, copied out", Unit.BLOCK, 4)
                .random()
                .parameters(Parameter.block())
                .mappedAndCopied()
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        byte[] block = new byte[opening.parameter("block")];
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                ByteBuffer mapping = channel.map(MapMode.READ_ONLY, 0, channel.size());
                for (long offset : offsets) {
                    mapping.get(Math.toIntExact(offset), block);
                    consumer.at(offset);
                    consumer.accept(block, block.length);
                }
            }
        };
    }
}
