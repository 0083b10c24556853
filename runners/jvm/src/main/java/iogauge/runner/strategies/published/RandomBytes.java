package iogauge.runner.strategies.published;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** Drawing as many random bytes as the payload has: what the other strategies of this package do besides I/O. */
public final class RandomBytes implements Strategy {

    /** So many of the drawn bytes are kept, one over the other, so that none of the work can be left out. */
    private static final int KEPT = 1 << 13;

    @Override
    public Declaration declaration() {
        return Declaration.read("java/random-bytes", "Math.random() for each byte",
                "Math.random() for each byte", Unit.BYTE, 1)
                .computeOnlyRole()
                .consumes(Consume.NONE);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        int length = opening.payloadLength();
        byte[] kept = new byte[KEPT];
        return (path, consumer) -> {
            for (int i = 0; i < length; i++) {
                kept[i % KEPT] = (byte) RandomByte.next();
            }
            consumer.wrote(length);
        };
    }
}
