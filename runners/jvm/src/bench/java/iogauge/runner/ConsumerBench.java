package iogauge.runner;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.LongSupplier;

/** Compares the loops of the consumer with those that were tried and not taken. How to start it: {@code README.md}. */
final class ConsumerBench {

    static final int BLOCK = 8192;
    static final byte[] COPY = BufferBytes.copy();

    private static final int BLOCKS_PER_PASS = (16 << 20) / BLOCK;
    private static final int WARM_UP_PASSES = 40;
    private static final int PASSES = 300;
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private ConsumerBench() {}

    public static void main(String[] arguments) {
        byte[] array = content();
        ByteBuffer direct = ByteBuffer.allocateDirect(BLOCK).put(0, array).order(ByteOrder.nativeOrder());
        byte[] copy = new byte[BLOCK];
        report("array, byte by byte into a long", () -> bytesIntoLong(array));
        report("array, byte by byte into an int", () -> bytesIntoInt(array));
        report("array, words, 4 per step", () -> fourWords(array));
        report("array, words (ArrayBytes)", () -> ArrayBytes.sum(array, 0, BLOCK));
        report("direct, byte by byte into an int", () -> bytesIntoInt(direct));
        report("direct, words", () -> words(direct));
        report("direct, copied to an array", () -> {
            direct.get(0, copy);
            return ArrayBytes.sum(copy, 0, BLOCK);
        });
        report("direct, as taken (BufferBytes)", () -> BufferBytes.sum(direct, 0, BLOCK, COPY));
        report("array, touch", () -> ArrayBytes.touch(array, 0, BLOCK, 0));
        report("direct, touch", () -> BufferBytes.touch(direct, 0, BLOCK, 0));
        String text = new String(array, StandardCharsets.ISO_8859_1);
        char[] chars = text.toCharArray();
        report("chars, one by one", () -> charsIntoLong(chars));
        report("chars, 8 per step (Chars)", () -> Chars.sum(chars, 0, BLOCK));
        report("String, charAt", () -> charsIntoLong(text));
        report("String, copied (Chars)", () -> Chars.sum(text));
    }

    static byte[] content() {
        byte[] content = new byte[BLOCK];
        new Random(1).nextBytes(content);
        return content;
    }

    /** Prints the throughput of the best pass; of characters read G/s, whatever their size. */
    static void report(String name, LongSupplier loop) {
        long sum = 0;
        for (int pass = 0; pass < WARM_UP_PASSES; pass++) {
            sum += pass(loop);
        }
        long best = Long.MAX_VALUE;
        for (int pass = 0; pass < PASSES; pass++) {
            long start = System.nanoTime();
            sum += pass(loop);
            best = Math.min(best, System.nanoTime() - start);
        }
        System.out.printf("%-36s %7.1f GB/s  (%d)%n", name, (double) BLOCKS_PER_PASS * BLOCK / best, sum);
    }

    private static long pass(LongSupplier loop) {
        long sum = 0;
        for (int block = 0; block < BLOCKS_PER_PASS; block++) {
            sum += loop.getAsLong();
        }
        return sum;
    }

    private static long bytesIntoLong(byte[] array) {
        long sum = 0;
        for (int at = 0; at < array.length; at++) {
            sum += array[at] & 0xff;
        }
        return sum;
    }

    private static long bytesIntoInt(byte[] array) {
        int sum = 0;
        for (int at = 0; at < array.length; at++) {
            sum += array[at] & 0xff;
        }
        return sum;
    }

    private static long charsIntoLong(char[] array) {
        long sum = 0;
        for (int at = 0; at < array.length; at++) {
            sum += array[at];
        }
        return sum;
    }

    private static long charsIntoLong(String text) {
        long sum = 0;
        for (int at = 0; at < text.length(); at++) {
            sum += text.charAt(at);
        }
        return sum;
    }

    private static long fourWords(byte[] array) {
        long sum = 0;
        for (int at = 0; at < array.length; ) {
            int foldAt = Math.min(array.length, at + 4 * Lanes.BYTES_PER_FOLD);
            long lanes0 = 0;
            long lanes1 = 0;
            long lanes2 = 0;
            long lanes3 = 0;
            for (; at < foldAt; at += 4 * Long.BYTES) {
                lanes0 += Lanes.pairs((long) WORD.get(array, at));
                lanes1 += Lanes.pairs((long) WORD.get(array, at + Long.BYTES));
                lanes2 += Lanes.pairs((long) WORD.get(array, at + 2 * Long.BYTES));
                lanes3 += Lanes.pairs((long) WORD.get(array, at + 3 * Long.BYTES));
            }
            sum += Lanes.fold(lanes0) + Lanes.fold(lanes1) + Lanes.fold(lanes2) + Lanes.fold(lanes3);
        }
        return sum;
    }

    private static long bytesIntoInt(ByteBuffer buffer) {
        int sum = 0;
        for (int at = 0; at < buffer.limit(); at++) {
            sum += buffer.get(at) & 0xff;
        }
        return sum;
    }

    private static long words(ByteBuffer buffer) {
        long sum = 0;
        for (int at = 0; at < buffer.limit(); ) {
            int foldAt = Math.min(buffer.limit(), at + Lanes.BYTES_PER_FOLD);
            long lanes = 0;
            for (; at < foldAt; at += Long.BYTES) {
                lanes += Lanes.pairs(buffer.getLong(at));
            }
            sum += Lanes.fold(lanes);
        }
        return sum;
    }
}
