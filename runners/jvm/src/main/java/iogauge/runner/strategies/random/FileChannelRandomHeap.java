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
import java.nio.file.Path;

/**
 * {@link FileChannel#read(ByteBuffer, long)} into a buffer on the heap: the channel copies through a buffer of its
 * own.
 */
public final class FileChannelRandomHeap implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-random-heap", "FileChannel, read at a position, heap ByteBuffer",
                "FileChannel.read(position), heap", Unit.BLOCK, 3)
                .reusedBuffer()
                .random()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        ByteBuffer block = ByteBuffer.allocate(opening.parameter("block"));
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                Positions.read(channel, offsets, block, consumer);
            }
        };
    }
}
