package iogauge.runner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** The loops of every strategy that reads block by block: to the end, each time as much as the block holds. */
public final class Blocks {

    /** Where blocks of bytes come from, such as {@code InputStream::read}. */
    @FunctionalInterface
    public interface ByteSource {
        /** How many bytes it put into the block, or -1 at the end. */
        int read(byte[] block) throws IOException;
    }

    /** Where blocks of characters come from, such as {@code Reader::read}. */
    @FunctionalInterface
    public interface CharSource {
        /** How many characters it put into the block, or -1 at the end. */
        int read(char[] block) throws IOException;
    }

    private Blocks() {}

    /** Reads bytes. */
    public static void read(ByteSource source, byte[] block, Consumer consumer) throws IOException {
        int length;
        while ((length = source.read(block)) >= 0) {
            consumer.accept(block, length);
        }
    }

    /** Reads characters. */
    public static void read(CharSource source, char[] block, Consumer consumer) throws IOException {
        int length;
        while ((length = source.read(block)) >= 0) {
            consumer.accept(block, length);
        }
    }

    /** Reads a channel. */
    public static void read(ReadableByteChannel channel, ByteBuffer block, Consumer consumer) throws IOException {
        while (channel.read(block.clear()) >= 0) {
            consumer.accept(block.flip());
        }
    }
}
