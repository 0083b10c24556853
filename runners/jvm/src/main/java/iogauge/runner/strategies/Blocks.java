package iogauge.runner.strategies;

import iogauge.runner.Consumer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** The loop of every strategy that reads a channel block by block. */
final class Blocks {

    private Blocks() {}

    /** Reads to the end of the channel, each time as much as the block holds. */
    static void read(ReadableByteChannel channel, ByteBuffer block, Consumer consumer) throws IOException {
        while (channel.read(block.clear()) >= 0) {
            consumer.accept(block.flip());
        }
    }
}
