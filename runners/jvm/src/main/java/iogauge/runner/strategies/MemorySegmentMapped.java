package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.NewerStrategy;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import org.kohsuke.MetaInfServices;

/** The whole file as one {@code MemorySegment}, however large, unmapped when its arena closes. */
@MetaInfServices(Strategy.class)
public final class MemorySegmentMapped extends NewerStrategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/memory-segment", "FileChannel.map, MemorySegment of a confined Arena",
                Unit.FILE, 4)
                .mapped()
                .runtime(22);
    }
}
