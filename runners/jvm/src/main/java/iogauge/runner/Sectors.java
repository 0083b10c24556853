package iogauge.runner;

import java.nio.ByteBuffer;

/** Memory and lengths for what goes past the page cache. */
public final class Sectors {

    /** What the system wants of addresses and lengths, at most. */
    private static final int SECTOR = 4096;

    private Sectors() {}

    /** Bytes that the program hands to one call: {@code block}. */
    public static Parameter block() {
        return new Parameter("block", 1 << 20, SECTOR, 1 << 26, "bytes", "piece",
                "bytes of the aligned buffer, rounded up to a multiple of 4096");
    }

    /** A buffer of such a block, rounded up, that begins at a sector. */
    public static ByteBuffer buffer(Opening opening) {
        int size = whole(opening.parameter("block"));
        return ByteBuffer.allocateDirect(size + SECTOR).alignedSlice(SECTOR).limit(size).slice();
    }

    /** The length, rounded up. */
    public static int whole(int length) {
        return (length + SECTOR - 1) / SECTOR * SECTOR;
    }
}
