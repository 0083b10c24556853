package iogauge.runner;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What the runtime counts: how much it grew between {@link #begin} and {@link #end}. */
final class Counters {

    private static final long NS_PER_MS = 1_000_000;

    private final GarbageCollectorMXBean[] collectors =
            ManagementFactory.getGarbageCollectorMXBeans().toArray(new GarbageCollectorMXBean[0]);
    private final com.sun.management.ThreadMXBean thread = allocationCounter();
    private long allocatedBytes;
    private long gcNs;
    private long gcCount;

    /** To be called by the working thread just before a span. */
    void begin() {
        gcNs = -collectionNs();
        gcCount = -collections();
        allocatedBytes = -allocated();
    }

    /** To be called by the working thread just after a span. */
    void end() {
        allocatedBytes += allocated();
        gcNs += collectionNs();
        gcCount += collections();
    }

    /** Whether this runtime tells what a thread allocates. */
    boolean allocationKnown() {
        return thread != null;
    }

    /** Bytes of heap that the working thread allocated. */
    long allocatedBytes() {
        return allocatedBytes;
    }

    /** Time that the collectors report, in ns, to a millisecond. */
    long gcNs() {
        return gcNs;
    }

    /** Collections that ended. */
    long gcCount() {
        return gcCount;
    }

    private static com.sun.management.ThreadMXBean allocationCounter() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads instanceof com.sun.management.ThreadMXBean counting
                && counting.isThreadAllocatedMemorySupported() && counting.isThreadAllocatedMemoryEnabled()
                ? counting : null;
    }

    private long allocated() {
        return thread == null ? 0 : thread.getCurrentThreadAllocatedBytes();
    }

    private long collectionNs() {
        long ms = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            ms += collector.getCollectionTime();
        }
        return ms * NS_PER_MS;
    }

    private long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            count += collector.getCollectionCount();
        }
        return count;
    }
}
