package iogauge.runner;

/** Sums of eight bytes at a time: a {@code long} seen as four lanes of 16 bits. */
final class Lanes {

    private static final long LOW_BYTES = 0x00ff00ff00ff00ffL;
    private static final long LOW_PAIRS = 0x0000ffff0000ffffL;

    /** After so many bytes a lane may be full (128 words add at most 510 each to 16 bits) and must be folded. */
    static final int BYTES_PER_FOLD = 128 * Long.BYTES;

    private Lanes() {}

    /** Per lane, the sum of the two unsigned bytes of a word. */
    static long pairs(long word) {
        return (word & LOW_BYTES) + (word >>> Byte.SIZE & LOW_BYTES);
    }

    /** Sum of the four lanes. */
    static long fold(long lanes) {
        long halves = (lanes & LOW_PAIRS) + (lanes >>> Short.SIZE & LOW_PAIRS);
        return (halves & 0xffffffffL) + (halves >>> Integer.SIZE);
    }
}
