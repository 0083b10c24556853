package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;
import java.util.Arrays;

/** What the spans of one request gave, in arrays that exist before the first span. */
final class Results {

    private final long[] ns;
    private final long[] count;
    private final long[] sum;
    private final Long[] result;
    private final long[] allocatedBytes;
    private final long[] gcNs;
    private final long[] gcCount;

    Results(int spans) {
        ns = new long[spans];
        count = new long[spans];
        sum = new long[spans];
        result = new Long[spans];
        allocatedBytes = new long[spans];
        gcNs = new long[spans];
        gcCount = new long[spans];
    }

    void store(int span, long spanNs, Consumer consumer, Counters counters) {
        ns[span] = spanNs;
        count[span] = consumer.count();
        sum[span] = consumer.sum();
        result[span] = consumer.result();
        allocatedBytes[span] = counters.allocatedBytes();
        gcNs[span] = counters.gcNs();
        gcCount[span] = counters.gcCount();
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
        boolean compared = !summed && !Arrays.asList(result).contains(null);
        for (int i = 0; compared && i < sum.length; i++) {
            sum[i] = result[i];
        }
        arrayOrNull(reply, "sum", sum, summed || compared);
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
