package iogauge.runner;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The loops over bytes outside the heap, in direct and mapped buffers: {@code README.md} has the measurements. */
final class BufferBytes {

    /**
     * Before Java 21 C2 makes no vector instructions of a loop over a direct buffer (JDK-8300258). There the fastest
     * way is to copy to an array, which stays in the processor's cache, and to sum that.
     */
    private static final boolean VECTORISED = Runtime.version().feature() >= 21;
    private static final int COPIED = VECTORISED ? 0 : 8192;

    private BufferBytes() {}

    /** What {@link #sum} needs of each thread. */
    static byte[] copy() {
        return new byte[COPIED];
    }

    /** Sum of the unsigned bytes at {@code start} and up to, not including, {@code end}. */
    static long sum(ByteBuffer buffer, int start, int end, byte[] copy) {
        return VECTORISED ? sumInPlace(buffer, start, end) : sumOfCopies(buffer, start, end, copy);
    }

    /**
     * Sum of the unsigned bytes that {@link Consume#TOUCH} looks at.
     *
     * @param position offset in the file of the byte at {@code start}
     */
    static long touch(ByteBuffer buffer, int start, int end, long position) {
        long sum = 0;
        int steps = Touch.count(end - start, position);
        int at = start + Touch.distance(position);
        for (int step = 0; step < steps; step++) {
            sum += buffer.get(at + step * Touch.STEP) & 0xff;
        }
        return sum;
    }

    private static long sumInPlace(ByteBuffer buffer, int start, int end) {
        // A sum of bytes does not depend on their order; reading words in the machine's own order is fastest.
        buffer.order(ByteOrder.nativeOrder());
        long sum = 0;
        int at = start;
        int wordsEnd = start + (end - start) / Long.BYTES * Long.BYTES;
        while (at < wordsEnd) {
            int foldAt = at + Math.min(wordsEnd - at, Lanes.BYTES_PER_FOLD);
            long lanes = 0;
            for (; at < foldAt; at += Long.BYTES) {
                lanes += Lanes.pairs(buffer.getLong(at));
            }
            sum += Lanes.fold(lanes);
        }
        for (; at < end; at++) {
            sum += buffer.get(at) & 0xff;
        }
        return sum;
    }

    private static long sumOfCopies(ByteBuffer buffer, int start, int end, byte[] copy) {
        long sum = 0;
        for (int at = start; at < end; ) {
            int length = Math.min(end - at, copy.length);
            buffer.get(at, copy, 0, length);
            sum += ArrayBytes.sum(copy, 0, length);
            at += length;
        }
        return sum;
    }
}
