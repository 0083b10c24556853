package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Decoding UTF-8, the whole at once, and consuming the characters. */
public final class DecodeString implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/decode-string", "decode to a String",
                "decoding to a String", Unit.FILE, 1)
                .computeOnlyRole()
                .sums(Sums.UTF16)
                .memoryPerFileByte(4);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> consumer.accept(new String(payload, StandardCharsets.UTF_8));
    }
}
