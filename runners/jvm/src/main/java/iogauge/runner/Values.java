package iogauge.runner;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The loops of every strategy that handles data as values: a {@code long} of each 8 bytes, and the rest as bytes. */
public final class Values {

    private final long[] longs;
    private final byte[] rest;

    /** The values that a program has which writes them as this payload. */
    public Values(byte[] payload) {
        longs = new long[payload.length / Long.BYTES];
        ByteBuffer.wrap(payload).asLongBuffer().get(longs);
        rest = Arrays.copyOfRange(payload, longs.length * Long.BYTES, payload.length);
    }

    /** Writes all of them. */
    public void write(DataOutput out, Consumer consumer) throws IOException {
        for (long value : longs) {
            out.writeLong(value);
        }
        for (byte value : rest) {
            out.writeByte(value);
        }
        consumer.wrote((long) longs.length * Long.BYTES + rest.length);
    }

    /**
     * Reads all of them: a program knows how many it wrote.
     *
     * @param length bytes of all values together
     */
    public static void read(DataInput in, long length, Consumer consumer) throws IOException {
        consumer.acceptLongs(in::readLong, length / Long.BYTES);
        for (long i = length % Long.BYTES; i > 0; i--) {
            consumer.accept(in.readByte());
        }
    }
}
