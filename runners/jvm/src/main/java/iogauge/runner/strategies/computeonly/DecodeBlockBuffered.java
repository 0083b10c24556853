package iogauge.runner.strategies.computeonly;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Decoding UTF-8 into the buffer of a reader, and consuming the characters block by block. */
public final class DecodeBlockBuffered implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/decode-block-buffered", "decode to a buffer, read(char[])",
                "decoding to a char[], buffered", Unit.BLOCK, 2)
                .computeOnlyRole()
                .sums(Sums.UTF16)
                .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars());
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int buffer = opening.parameter("buffer");
        char[] block = new char[opening.parameter("block")];
        return (path, consumer) -> {
            Reader in = new BufferedReader(
                    new InputStreamReader(new ByteArrayInputStream(payload), StandardCharsets.UTF_8), buffer);
            Blocks.read(in::read, block, consumer);
        };
    }
}
