package iogauge.runner;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The same as {@link ConsumerBench} for memory segments; needs Java 22. */
final class SegmentBench {

    private SegmentBench() {}

    public static void main(String[] arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment content = MemorySegment.ofArray(ConsumerBench.content());
            MemorySegment segment = arena.allocate(ConsumerBench.BLOCK).copyFrom(content);
            ConsumerBench.report("segment, words", () -> words(segment));
            ConsumerBench.report("segment, as a buffer (BufferBytes)",
                    () -> BufferBytes.sum(segment.asByteBuffer(), 0, ConsumerBench.BLOCK, ConsumerBench.COPY));
        }
    }

    private static long words(MemorySegment segment) {
        long sum = 0;
        long end = segment.byteSize();
        for (long at = 0; at < end; ) {
            long foldAt = Math.min(end, at + Lanes.BYTES_PER_FOLD);
            long lanes = 0;
            for (; at < foldAt; at += Long.BYTES) {
                lanes += Lanes.pairs(segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
            }
            sum += Lanes.fold(lanes);
        }
        return sum;
    }
}
