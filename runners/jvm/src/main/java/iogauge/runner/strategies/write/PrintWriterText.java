package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.io.BufferedWriter;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * {@link PrintWriter#write(String, int, int)}, which is all that its {@code print} does. The {@link BufferedWriter} is
 * the one that a {@link PrintWriter} makes itself for a file given by name. Nothing is thrown: whether all is written
 * is asked after closing, which writes too.
 */
public final class PrintWriterText implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/print-writer", "PrintWriter(BufferedWriter), write(String)",
                "PrintWriter", Unit.BLOCK, 2)
                .newBuffer()
                .sums(Sums.UTF16)
                .parameters(Parameter.blockOfChars())
                .computeOnly("java/encode-buffered");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        String text = opening.text();
        int block = opening.parameter("block");
        boolean append = opening.append();
        return (path, consumer) -> {
            PrintWriter out = new PrintWriter(
                    new BufferedWriter(new FileWriter(path, StandardCharsets.UTF_8, append)));
            try (out) {
                Pieces.write(text, block, out::write, consumer);
            }
            if (out.checkError()) {
                throw new IOException("PrintWriter.checkError() says that writing failed; it does not know why");
            }
        };
    }
}
