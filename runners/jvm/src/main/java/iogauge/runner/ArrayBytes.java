package iogauge.runner;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The loops over bytes in an array, as fast as the language allows: {@code README.md} has the measurements. */
final class ArrayBytes {

    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private ArrayBytes() {}

    /** Sum of the unsigned bytes at {@code start} and up to, not including, {@code end}. */
    static long sum(byte[] array, int start, int end) {
        long sum = 0;
        int at = start;
        int wordsEnd = start + (end - start) / Long.BYTES * Long.BYTES;
        while (at < wordsEnd) {
            // One word per step on purpose: unrolled by hand the loop is 2.7 times slower or more.
            int foldAt = at + Math.min(wordsEnd - at, Lanes.BYTES_PER_FOLD);
            long lanes = 0;
            for (; at < foldAt; at += Long.BYTES) {
                lanes += Lanes.pairs((long) WORD.get(array, at));
            }
            sum += Lanes.fold(lanes);
        }
        for (; at < end; at++) {
            sum += array[at] & 0xff;
        }
        return sum;
    }

    /**
     * Sum of the unsigned bytes that {@link Consume#TOUCH} looks at.
     *
     * @param position offset in the file of the byte at {@code start}
     */
    static long touch(byte[] array, int start, int end, long position) {
        long sum = 0;
        int steps = Touch.count(end - start, position);
        int at = start + Touch.distance(position);
        for (int step = 0; step < steps; step++) {
            sum += array[at + step * Touch.STEP] & 0xff;
        }
        return sum;
    }
}
