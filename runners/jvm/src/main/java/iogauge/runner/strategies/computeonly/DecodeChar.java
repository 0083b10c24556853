package iogauge.runner.strategies.computeonly;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Decoding UTF-8 and consuming character after character: what a {@link java.io.FileReader} does besides I/O. */
public final class DecodeChar implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/decode-char", "decode each char",
                "decoding char by char", Unit.CHAR, 2)
                .computeOnlyRole()
                .sums(Sums.UTF16);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        return (path, consumer) -> {
            Reader in = new InputStreamReader(new ByteArrayInputStream(payload), StandardCharsets.UTF_8);
            consumer.acceptEach(in::read);
        };
    }
}
