package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@link Files#newByteChannel}, used as the interface only, read into a buffer on the heap: the channel copies
 * through a buffer of its own.
 */
public final class ByteChannelHeap implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/byte-channel-heap", "Files.newByteChannel, heap ByteBuffer",
                "Files.newByteChannel, heap", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = ByteBuffer.allocate(opening.parameter("block"));
        return (path, consumer) -> {
            try (SeekableByteChannel channel = Files.newByteChannel(Path.of(path))) {
                Blocks.read(channel, block, consumer);
            }
        };
    }
}
