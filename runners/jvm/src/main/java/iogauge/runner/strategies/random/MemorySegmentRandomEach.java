package iogauge.runner.strategies.random;

import iogauge.runner.Declaration;
import iogauge.runner.NewerStrategy;
import iogauge.runner.Parameter;
import iogauge.runner.Unit;

/** A {@code MemorySegment} of each block alone, unmapped when its arena closes. */
public final class MemorySegmentRandomEach extends NewerStrategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-segment-random-each", "FileChannel.map, a MemorySegment of each block",
                "MemorySegment, a mapping per read", Unit.BLOCK, 4)
                .random()
                .parameters(Parameter.block())
                .mapped()
                .runtime(22)
                .computeOnly("java/consume-buffer");
    }
}
