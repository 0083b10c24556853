package iogauge.runner.strategies.read;

import iogauge.runner.Consumer;
import iogauge.runner.Values;
import java.io.IOException;
import java.io.ObjectInputStream;

/**
 * Reading the values in a file that {@link java.io.ObjectOutputStream} wrote. A program knows how many it wrote; here
 * the length of the file tells. Without that, {@link ObjectInputStream#available} would have to be asked: it knows of
 * no record but the one begun, and to find the next it asks the system for the length and the position of the file,
 * twice. For records of 1024 bytes that takes longer than to read them through a buffer. Reading until it fails is no
 * way either: of a last value cut short, {@link ObjectInputStream#readLong} loses what there is.
 */
final class BlockData {

    private static final int STREAM_HEADER = 4;
    /** The writer fills its records up to so many bytes, says its documentation. */
    private static final int RECORD = 1024;
    private static final int RECORD_HEADER = 5;
    private static final int SHORT_RECORD = 255;
    private static final int SHORT_RECORD_HEADER = 2;

    private BlockData() {}

    /**
     * Reads all values.
     *
     * @param fileLength bytes of the file
     * @throws IOException also when its records are not filled up so
     */
    static void read(ObjectInputStream in, long fileLength, Consumer consumer) throws IOException {
        Values.read(in, length(fileLength), consumer);
        if (in.read() >= 0) {
            throw new IOException("its records do not hold " + RECORD + " bytes each");
        }
    }

    /** Bytes of all values together. */
    private static long length(long fileLength) {
        long records = fileLength - STREAM_HEADER;
        long full = records / (RECORD_HEADER + RECORD);
        long last = records % (RECORD_HEADER + RECORD);
        if (last > 0) {
            last -= last <= SHORT_RECORD_HEADER + SHORT_RECORD ? SHORT_RECORD_HEADER : RECORD_HEADER;
        }
        return full * RECORD + last;
    }
}
