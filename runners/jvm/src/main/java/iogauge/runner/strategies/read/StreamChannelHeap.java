package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * {@link FileInputStream#getChannel()}, read into a buffer on the heap: the channel copies through a buffer of
 * its own.
 */
public final class StreamChannelHeap implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/stream-channel-heap", "FileInputStream.getChannel, heap ByteBuffer",
                "FileInputStream.getChannel, heap", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = ByteBuffer.allocate(opening.parameter("block"));
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path);
                    FileChannel channel = in.getChannel()) {
                Blocks.read(channel, block, consumer);
            }
        };
    }
}
