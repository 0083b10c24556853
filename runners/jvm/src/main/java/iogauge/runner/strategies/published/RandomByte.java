package iogauge.runner.strategies.published;

/** How the publication made its data. */
final class RandomByte {

    private RandomByte() {}

    /** A random byte, 0 to 255. */
    static int next() {
        return (int) (Math.random() * 256);
    }
}
