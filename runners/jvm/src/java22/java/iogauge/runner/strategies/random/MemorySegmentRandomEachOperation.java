package iogauge.runner.strategies.random;

import iogauge.runner.Consumer;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** The operation of {@link MemorySegmentRandomEach}. */
public final class MemorySegmentRandomEachOperation implements Operation {

    private final long[] offsets;
    private final int block;

    /** Reads the offsets. */
    public MemorySegmentRandomEachOperation(Opening opening) throws IOException {
        offsets = opening.offsets();
        block = opening.parameter("block");
    }

    @Override
    public void run(String path, Consumer consumer) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(path))) {
            for (long offset : offsets) {
                try (Arena arena = Arena.ofConfined()) {
                    consumer.at(offset);
                    consumer.accept(channel.map(MapMode.READ_ONLY, offset, block, arena).asByteBuffer());
                }
            }
        }
    }
}
