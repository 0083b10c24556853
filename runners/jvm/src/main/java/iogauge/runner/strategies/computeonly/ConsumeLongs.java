package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import iogauge.runner.Values;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Making values of 8 bytes out of bytes, as a {@link DataInputStream} does, and consuming them. */
public final class ConsumeLongs implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/consume-longs", "DataInputStream over memory, readLong",
                "DataInputStream, in memory", Unit.BLOCK, 2)
                .computeOnlyRole();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) ->
                Values.read(new DataInputStream(new Bytes(payload)), payload.length, consumer);
    }

    /** The cheapest stream of bytes: {@link java.io.ByteArrayInputStream} would take a lock for each value. */
    private static final class Bytes extends InputStream {

        private final byte[] array;
        private int at;

        Bytes(byte[] array) {
            this.array = array;
        }

        @Override
        public int read() {
            return at < array.length ? array[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] block, int start, int length) {
            int given = Math.min(length, array.length - at);
            System.arraycopy(array, at, block, start, given);
            at += given;
            return given > 0 || length == 0 ? given : -1;
        }
    }
}
