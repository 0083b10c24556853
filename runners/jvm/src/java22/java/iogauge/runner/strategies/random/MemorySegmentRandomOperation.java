package iogauge.runner.strategies.random;

import iogauge.runner.Consumer;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** The operation of {@link MemorySegmentRandom}. */
public final class MemorySegmentRandomOperation implements Operation {

    private final long[] offsets;
    private final int block;

    /** Reads the offsets. */
    public MemorySegmentRandomOperation(Opening opening) throws IOException {
        offsets = opening.offsets();
        block = opening.parameter("block");
    }

    @Override
    public void run(String path, Consumer consumer) throws IOException {
        try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(Path.of(path))) {
            MemorySegment file = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            for (long offset : offsets) {
                consumer.at(offset);
                consumer.accept(file.asSlice(offset, block).asByteBuffer());
            }
        }
    }
}
