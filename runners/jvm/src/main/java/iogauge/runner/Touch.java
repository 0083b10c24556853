package iogauge.runner;

/** Which bytes {@link Consume#TOUCH} looks at: those whose offset in the file is divisible by the step. */
final class Touch {

    /** Bytes of a cache line. */
    static final int STEP = 64;

    private Touch() {}

    /** Bytes from offset {@code position} to the first that is touched. */
    static int distance(long position) {
        return (int) (-position & STEP - 1);
    }

    /** How many of the {@code length} bytes from offset {@code position} on are touched. */
    static int count(int length, long position) {
        // A long: for lengths close to the largest int, rounding up would overflow.
        long rest = (long) length - distance(position);
        return (int) ((rest + STEP - 1) / STEP);
    }

    /** The byte that is touched of the 8 in a value, the first of them in the highest bits; 0 if there is none. */
    static long of(long value, long position) {
        int distance = distance(position);
        return distance < Long.BYTES ? value << distance * Byte.SIZE >>> Long.SIZE - Byte.SIZE : 0;
    }
}
