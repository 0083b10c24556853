package iogauge.runner.strategies.published;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;

/** Summing an array byte by byte: what other strategies of this package do besides I/O. */
public final class SumArrayByteByByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/sum-array-byte-by-byte", "sum each byte of a byte[]",
                "summing a byte[]", Unit.BYTE, 1)
                .computeOnlyRole()
                .consumes(Consume.SUM);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> consumer.summed(payload.length, ByteByByte.sum(payload, 0, payload.length));
    }
}
