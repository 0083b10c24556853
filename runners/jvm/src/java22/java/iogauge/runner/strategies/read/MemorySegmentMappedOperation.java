package iogauge.runner.strategies.read;

import iogauge.runner.Consumer;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** The operation of {@link MemorySegmentMapped}. */
public final class MemorySegmentMappedOperation implements Operation {

    /** Bytes of a segment that are looked at through one buffer. */
    private static final long VIEW_BYTES = 1 << 30;

    /** Has nothing to prepare. */
    public MemorySegmentMappedOperation(Opening opening) {}

    @Override
    public void run(String path, Consumer consumer) throws IOException {
        try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(Path.of(path))) {
            accept(consumer, channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
        }
    }

    /** As buffers, which are views: the loops over them are no slower than those over a segment. */
    private static void accept(Consumer consumer, MemorySegment segment) {
        for (long at = 0; at < segment.byteSize(); at += VIEW_BYTES) {
            long length = Math.min(segment.byteSize() - at, VIEW_BYTES);
            consumer.accept(segment.asSlice(at, length).asByteBuffer());
        }
    }
}
