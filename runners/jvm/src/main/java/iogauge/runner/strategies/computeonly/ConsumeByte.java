package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** Consuming byte after byte. */
public final class ConsumeByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/consume-byte", "consume each byte",
                "consuming byte by byte", Unit.BYTE, 1)
                .computeOnlyRole();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            Bytes bytes = new Bytes(payload);
            consumer.acceptEach(bytes::next);
        };
    }

    /** The cheapest source of bytes: {@link java.io.ByteArrayInputStream} would take a lock for each. */
    private static final class Bytes {

        private final byte[] array;
        private int at;

        Bytes(byte[] array) {
            this.array = array;
        }

        int next() {
            return at < array.length ? array[at++] & 0xff : -1;
        }
    }
}
