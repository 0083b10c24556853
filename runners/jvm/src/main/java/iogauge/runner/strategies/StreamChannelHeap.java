package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.kohsuke.MetaInfServices;

/**
 * {@link FileInputStream#getChannel()}, read into a buffer on the heap: the channel copies through a buffer of
 * its own.
 */
@MetaInfServices(Strategy.class)
public final class StreamChannelHeap implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/stream-channel-heap", "FileInputStream.getChannel, heap ByteBuffer",
                Unit.BLOCK, 3)
                .parameters(Parameter.block());
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
