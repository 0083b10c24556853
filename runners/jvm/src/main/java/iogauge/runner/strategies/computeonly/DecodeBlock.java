package iogauge.runner.strategies.computeonly;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Decoding UTF-8, block by block, and consuming the characters: what a {@link java.io.FileReader} does besides I/O. */
public final class DecodeBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/decode-block", "decode to char[]",
                "decoding to a char[]", Unit.BLOCK, 2)
                .computeOnlyRole()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        char[] block = new char[opening.parameter("block")];
        return (path, consumer) -> {
            Reader in = new InputStreamReader(new ByteArrayInputStream(payload), StandardCharsets.UTF_8);
            Blocks.read(in::read, block, consumer);
        };
    }
}
