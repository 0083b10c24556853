package iogauge.runner.strategies.published;

import iogauge.runner.Consume;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Summing a direct buffer byte by byte: what other strategies of this package do besides I/O. */
public final class SumBufferByteByByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/sum-buffer-byte-by-byte", "sum each byte of a direct ByteBuffer",
                "summing a direct ByteBuffer", Unit.BYTE, 1)
                .computeOnlyRole()
                .consumes(Consume.SUM);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] content = opening.payload();
        ByteBuffer payload = ByteBuffer.allocateDirect(content.length).put(content);
        return (path, consumer) -> consumer.summed(content.length, ByteByByte.sum(payload.rewind()));
    }
}
