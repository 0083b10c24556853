package iogauge.runner.strategies.write;

import iogauge.runner.Consumer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Writes a buffer to its limit: a channel may take only a part of it at a time. */
final class WholeBuffers {

    private WholeBuffers() {}

    static void write(WritableByteChannel channel, ByteBuffer buffer, Consumer consumer) throws IOException {
        while (buffer.hasRemaining()) {
            consumer.wrote(channel.write(buffer));
        }
    }
}
