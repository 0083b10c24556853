package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** {@link FileChannel#open}, read into a buffer on the heap: the channel copies through a buffer of its own. */
public final class FileChannelHeap implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-heap", "FileChannel.open, heap ByteBuffer",
                "FileChannel.read, heap", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = ByteBuffer.allocate(opening.parameter("block"));
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                Blocks.read(channel, block, consumer);
            }
        };
    }
}
