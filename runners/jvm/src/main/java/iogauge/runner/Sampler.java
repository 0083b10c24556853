package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;
import java.io.File;

/** An opened strategy, and the spans in which it is timed. */
final class Sampler {

    private final String strategy;
    private final Operation operation;
    private final Consumer consumer;
    private final boolean summed;
    private final Counters counters = new Counters();
    /** The path in use, for the reason when its operation fails. */
    private String path;

    Sampler(Declaration declaration, Operation operation, Consume consume) {
        strategy = declaration.name();
        summed = consume != Consume.NONE || declaration.producesInMemory();
        this.operation = operation;
        consumer = new Consumer(consume);
    }

    /** Carries out the spans that a request asks for and writes what they gave. */
    void sample(Request request, JsonStringWriter reply) throws Refusal {
        int operations = atLeastOne(request, "operations");
        int spans = atLeastOne(request, "spans");
        String[] paths = request.strings("paths");
        if (paths.length != 1 && paths.length != (long) operations * spans) {
            throw new Refusal("'paths' must hold 1 path or operations x spans = " + (long) operations * spans
                    + ", not " + paths.length);
        }

        Results results = new Results(spans);
        for (int number = 0; number < spans; number++) {
            consumer.clear();
            counters.begin();
            long ns = span(paths, number * operations, operations);
            counters.end();
            consumer.end();
            results.store(number, ns, consumer, counters);
        }
        results.write(reply, operations, summed, counters.allocationKnown());
    }

    /** There will be no more operations. */
    void close() {
        operation.close();
    }

    /** The file of the last operation, or null before the first. */
    String path() {
        return path;
    }

    /** The timed span, in ns. */
    private long span(String[] paths, int first, int operations) throws Refusal {
        int index = paths.length == 1 ? 0 : first;
        int step = paths.length == 1 ? 0 : 1;
        try {
            long start = System.nanoTime();
            for (int i = 0; i < operations; i++) {
                path = paths[index];
                operate();
                index += step;
            }
            return System.nanoTime() - start;
        } catch (Throwable e) { // also running out of memory: what an API cannot take is an answer
            throw new Refusal(strategy + " failed on " + path + (new File(path).isDirectory() ? ", a directory" : "")
                    + ": " + e, e);
        }
    }

    /**
     * One operation. The compiler is told never to inline this into the loop above (runner.toml): a loop that was compiled
     * once would go on with the operation as it was compiled then; a call takes its newest code.
     */
    private void operate() throws Exception {
        consumer.begin();
        operation.run(path, consumer);
    }

    private static int atLeastOne(Request request, String key) throws Refusal {
        int value = request.integer(key);
        if (value < 1) {
            throw new Refusal("'" + key + "' must be at least 1, not " + value);
        }
        return value;
    }
}
