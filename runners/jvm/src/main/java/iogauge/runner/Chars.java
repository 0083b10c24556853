package iogauge.runner;

/** The loops over characters, as fast as the language allows: {@code README.md} has the measurements. */
final class Chars {

    private static final int PER_STEP = 8;
    /** So many characters of 16 bits can be added in an {@code int}. */
    private static final int PER_FOLD = 1 << 15;
    private static final char[] COPY = new char[4096];

    private Chars() {}

    /** Sum of the characters at {@code start} and up to, not including, {@code end}. */
    static long sum(char[] array, int start, int end) {
        long sum = 0;
        int at = start;
        int stepsEnd = start + (end - start) / PER_STEP * PER_STEP;
        while (at < stepsEnd) {
            // Eight terms per step: each alone would wait for the addition before.
            int foldAt = at + Math.min(stepsEnd - at, PER_FOLD);
            int part = 0;
            for (; at < foldAt; at += PER_STEP) {
                part += array[at] + array[at + 1] + array[at + 2] + array[at + 3]
                        + array[at + 4] + array[at + 5] + array[at + 6] + array[at + 7];
            }
            sum += part;
        }
        for (; at < end; at++) {
            sum += array[at];
        }
        return sum;
    }

    /** Sum of all characters: copies to an array in the processor's cache are faster than {@code charAt}. */
    static long sum(String text) {
        long sum = 0;
        for (int at = 0; at < text.length(); ) {
            int length = Math.min(text.length() - at, COPY.length);
            text.getChars(at, at + length, COPY, 0);
            sum += sum(COPY, 0, length);
            at += length;
        }
        return sum;
    }
}
