package iogauge.runner;

/** The clock that times a span: {@link System#nanoTime}. */
final class Clock {

    /** Enough for {@link #step} to be compiled on the way: then the clock itself is seen, not the interpreter. */
    private static final int STEPS = 10_000;

    private Clock() {}

    /** The smallest step, in ns, seen between two readings. */
    static long resolution() {
        long smallest = Long.MAX_VALUE;
        for (int i = 0; i < STEPS || smallest == Long.MAX_VALUE; i++) {
            long step = step();
            if (step > 0) {
                smallest = Math.min(smallest, step);
            }
        }
        return smallest;
    }

    private static long step() {
        long before = System.nanoTime();
        return System.nanoTime() - before;
    }
}
