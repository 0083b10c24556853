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

/** {@link FileChannel#read(ByteBuffer, long)} into a new buffer on the heap each time. */
public final class FileChannelRandomHeapNew implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-random-heap-new", "FileChannel, read at a position, new heap ByteBuffer",
                "FileChannel.read(position), new", Unit.BLOCK, 3)
                .newBuffer()
                .random()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                for (long offset : offsets) {
                    Positions.read(channel, offset, ByteBuffer.allocate(block), consumer);
                }
            }
        };
    }
}
