package iogauge.runner.strategies.random;

import iogauge.runner.Consumer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** The loop of every strategy that reads blocks of a channel at positions. */
final class Positions {

    private Positions() {}

    /** Reads a whole block at each offset. */
    static void read(FileChannel channel, long[] offsets, ByteBuffer block, Consumer consumer) throws IOException {
        for (long offset : offsets) {
            read(channel, offset, block.clear(), consumer);
        }
    }

    /** Reads a whole block at this offset. */
    static void read(FileChannel channel, long offset, ByteBuffer block, Consumer consumer) throws IOException {
        while (block.hasRemaining()) {
            if (channel.read(block, offset + block.position()) < 0) {
                throw new EOFException("no block of " + block.capacity() + " bytes lies at " + offset);
            }
        }
        consumer.at(offset);
        consumer.accept(block.flip());
    }
}
