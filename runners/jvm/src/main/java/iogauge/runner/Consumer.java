package iogauge.runner;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes the bytes that an API delivered and does with them what the workload says: the same work for every strategy. It
 * counts and sums over all operations of a span, so that nothing delivered can be optimised away.
 */
public final class Consumer {

    /** Where single bytes come from, such as {@code InputStream::read}. */
    @FunctionalInterface
    public interface ByteSource {
        /** The next byte, 0 to 255, or -1 at the end. */
        int read() throws IOException;
    }

    private final Consume consume;
    /** Offset in the file of the byte that comes next. */
    private long position;
    private long bytes;
    private long sum;

    Consumer(Consume consume) {
        this.consume = consume;
    }

    /** Takes the first {@code length} bytes of an array. */
    public void accept(byte[] array, int length) {
        accept(array, 0, length);
    }

    /** Takes what lies between a buffer's position and its limit; both stay. */
    public void accept(ByteBuffer buffer) {
        if (buffer.hasArray()) {
            accept(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
            return;
        }
        int start = buffer.position();
        int end = buffer.limit();
        switch (consume) {
            case NONE -> { }
            case TOUCH -> sum += BufferBytes.touch(buffer, start, end, position);
            case SUM -> sum += BufferBytes.sum(buffer, start, end);
        }
        advance(end - start);
    }

    /** Takes byte after byte until the source is at its end. */
    public void acceptEach(ByteSource source) throws IOException {
        // The tallies are local variables: fields would be written back after every byte.
        long taken = 0;
        long total = 0;
        int value;
        switch (consume) {
            case NONE -> {
                while (source.read() >= 0) {
                    taken++;
                }
            }
            case TOUCH -> {
                while ((value = source.read()) >= 0) {
                    if ((position + taken) % Touch.STEP == 0) {
                        total += value;
                    }
                    taken++;
                }
            }
            case SUM -> {
                while ((value = source.read()) >= 0) {
                    total += value;
                    taken++;
                }
            }
        }
        sum += total;
        advance(taken);
    }

    /** A new span begins. */
    void clear() {
        bytes = 0;
        sum = 0;
    }

    /** A new operation begins, at the start of its file. */
    void begin() {
        position = 0;
    }

    /** Whether there is a sum at all. */
    boolean sums() {
        return consume != Consume.NONE;
    }

    long bytes() {
        return bytes;
    }

    long sum() {
        return sum;
    }

    private void accept(byte[] array, int start, int length) {
        switch (consume) {
            case NONE -> { }
            case TOUCH -> sum += ArrayBytes.touch(array, start, start + length, position);
            case SUM -> sum += ArrayBytes.sum(array, start, start + length);
        }
        advance(length);
    }

    private void advance(long count) {
        position += count;
        bytes += count;
    }
}
