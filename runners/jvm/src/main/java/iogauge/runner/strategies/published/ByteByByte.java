package iogauge.runner.strategies.published;

import java.nio.ByteBuffer;

/** How the publication summed what it had read: one byte after another. */
final class ByteByByte {

    private ByteByByte() {}

    /** The sum of the bytes from index {@code start} up to, not including, {@code end}. */
    static long sum(byte[] array, int start, int end) {
        long sum = 0;
        for (int at = start; at < end; at++) {
            sum += array[at] & 0xff;
        }
        return sum;
    }

    /** The sum of what lies between a buffer's position and its limit, taken out of it. */
    static long sum(ByteBuffer buffer) {
        long sum = 0;
        while (buffer.hasRemaining()) {
            sum += buffer.get() & 0xff;
        }
        return sum;
    }
}
