package iogauge.runner.strategies.planted;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.IOException;

/** Does what {@code java/file-input-stream} does, and can be made slower by a known amount of the same work. */
public final class PlantedRead implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/planted-read", "FileInputStream, with a planted slow-down",
                "FileInputStream, planted", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(
                        Parameter.block(),
                        new Parameter("extra", 0, 0, 1 << 30, "bytes", "other",
                                "bytes of the file that are read twice, at most all"),
                        new Parameter("label", 0, 0, 1000, "count", "other",
                                "does nothing: tells cases of equal code apart"))
                .computeOnly("java/consume-array");
    }

    @Override
    public Operation open(Opening opening) {
        byte[] block = new byte[opening.parameter("block")];
        int extra = opening.parameter("extra");
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path)) {
                if (extra > 0) {
                    readAndReturn(in, block, extra);
                }
                Blocks.read(in::read, block, consumer);
            }
        };
    }

    /** Reads so many bytes in blocks, consumes nothing of them, and goes back to the beginning. */
    private static void readAndReturn(FileInputStream in, byte[] block, int extra) throws IOException {
        int done = 0;
        int length;
        while (done < extra && (length = in.read(block, 0, Math.min(block.length, extra - done))) > 0) {
            done += length;
        }
        if (in.skip(-done) != -done) {
            throw new IOException("the file cannot be read again");
        }
    }
}
