package iogauge.runner.strategies.random;

import iogauge.runner.Declaration;
import iogauge.runner.NewerStrategy;
import iogauge.runner.Parameter;
import iogauge.runner.Unit;

/** The whole file as one {@code MemorySegment}, however large, looked at block by block. */
public final class MemorySegmentRandom extends NewerStrategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-segment-random", "FileChannel.map, a MemorySegment at positions",
                "FileChannel.map, MemorySegment", Unit.BLOCK, 4)
                .random()
                .parameters(Parameter.block())
                .mapped()
                .runtime(22)
                .computeOnly("java/consume-buffer");
    }
}
