package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;

/** What the spans of one request gave, in arrays that exist before the first span. */
final class Results {

    private final long[] ns;
    private final long[] count;
    private final long[] sum;
    private final long[] allocatedBytes;
    private final long[] gcNs;
    private final long[] gcCount;

    Results(int samples) {
        ns = new long[samples];
        count = new long[samples];
        sum = new long[samples];
        allocatedBytes = new long[samples];
        gcNs = new long[samples];
        gcCount = new long[samples];
    }

    void store(int sample, long spanNs, Consumer consumer, Counters counters) {
        ns[sample] = spanNs;
        count[sample] = consumer.count();
        sum[sample] = consumer.sum();
        allocatedBytes[sample] = counters.allocatedBytes();
        gcNs[sample] = counters.gcNs();
        gcCount[sample] = counters.gcCount();
    }

    /** Writes all of it; what is not known as null. */
    void write(JsonStringWriter reply, int operations, boolean summed, boolean allocationKnown) {
        array(reply, "ns", ns);
        reply.array("operations");
        for (int i = 0; i < ns.length; i++) {
            reply.value(operations);
        }
        reply.end();
        array(reply, "count", count);
        arrayOrNull(reply, "sum", sum, summed);
        reply.object("counters");
        arrayOrNull(reply, "allocated_bytes", allocatedBytes, allocationKnown);
        array(reply, "gc_ns", gcNs);
        array(reply, "gc_count", gcCount);
        reply.end();
    }

    private static void arrayOrNull(JsonStringWriter reply, String key, long[] values, boolean known) {
        if (known) {
            array(reply, key, values);
        } else {
            reply.nul(key);
        }
    }

    private static void array(JsonStringWriter reply, String key, long[] values) {
        reply.array(key);
        for (long value : values) {
            reply.value(value);
        }
        reply.end();
    }
}
