package iogauge.runner.strategies.random;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** A {@link java.nio.MappedByteBuffer} of each block alone, unmapped by the collector. */
public final class FileChannelRandomMapEach implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-random-map-each", "FileChannel.open, a MappedByteBuffer of each block",
                "FileChannel.map for each read", Unit.BLOCK, 4)
                .random()
                .parameters(Parameter.block())
                .mapped()
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        int block = opening.parameter("block");
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                for (long offset : offsets) {
                    consumer.at(offset);
                    consumer.accept(channel.map(MapMode.READ_ONLY, offset, block));
                }
            }
        };
    }
}
