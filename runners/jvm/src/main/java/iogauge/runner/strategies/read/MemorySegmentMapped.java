package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.NewerStrategy;
import iogauge.runner.Unit;

/** The whole file as one {@code MemorySegment}, however large, unmapped when its arena closes. */
public final class MemorySegmentMapped extends NewerStrategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-segment", "FileChannel.map, MemorySegment of a confined Arena",
                "FileChannel.map, MemorySegment", Unit.FILE, 4)
                .mapped()
                .runtime(22)
                .computeOnly("java/consume-buffer");
    }
}
