package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;
import com.grack.nanojson.JsonWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Carries out the verbs of {@code docs/wire.md}; between requests it keeps only what {@code open} prepared. */
final class Runner {

    private static final int WIRE = 3;
    private static final int MOST_PADDING = 1 << 16;
    private static final String ARCHIVE = "-XX:SharedArchiveFile";

    private Strategies strategies;
    private HeldFiles held;
    private Sampler sampler;
    private byte[] padding; // lies before what a strategy allocates, as long as that is open

    /** Answers requests until there are no more. */
    void serve(Channel channel) throws IOException {
        String request;
        while ((request = channel.receive()) != null) {
            channel.send(answer(request));
        }
    }

    /** The reply to one line: that of the verb, or an error. */
    String answer(String line) {
        try {
            Request request = Request.parse(line);
            String verb = request.string("verb");
            JsonStringWriter reply = JsonWriter.string().object().value("verb", verb);
            switch (verb) {
                case "hello" -> hello(request, reply);
                case "list" -> strategies().list(reply);
                case "open" -> open(request);
                case "sample" -> sample(request, reply);
                case "release" -> release();
                default -> throw new Refusal("unknown verb '" + verb + "'");
            }
            return reply.end().done();
        } catch (Refusal e) {
            if (e.getCause() != null) {
                e.printStackTrace();
            }
            return error(e.getMessage());
        } catch (Throwable e) { // also running out of memory or of stack: the runner stays usable
            e.printStackTrace();
            return error("the request failed: " + e);
        }
    }

    static String error(String reason) {
        return JsonWriter.string().object().value("error", reason).end().done();
    }

    private static void hello(Request request, JsonStringWriter reply) throws Refusal {
        int wire = request.integer("wire");
        if (wire != WIRE) {
            throw new Refusal("'wire' is " + wire + ", this runner speaks " + WIRE);
        }
        reply.value("wire", WIRE)
                .value("runner", "jvm")
                .value("runtime", "jvm-" + JavaVersion.numbers())
                .value("name", System.getProperty("java.vm.name"))
                .value("version", JavaVersion.numbers())
                .array("flags", flags())
                .value("clock_resolution_ns", Clock.resolution());
    }

    /** The options that the virtual machine was started with; where the archive of its classes lies is nobody's business. */
    private static List<String> flags() {
        List<String> flags = new ArrayList<>();
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            flags.add(flag.startsWith(ARCHIVE) ? ARCHIVE : flag);
        }
        return flags;
    }

    private void open(Request request) throws Refusal {
        // What is mapped before the first operation belongs to the runtime.
        if (held == null) {
            held = HeldFiles.ofRuntime();
        }
        if (sampler != null) {
            sampler.close();
            sampler = null;
        }
        padding = new byte[request.integerOrZero("padding", MOST_PADDING)];
        sampler = strategies().open(request);
    }

    private void sample(Request request, JsonStringWriter reply) throws Refusal {
        if (sampler == null) {
            throw new Refusal("nothing is open: 'sample' follows a successful 'open'");
        }
        try {
            sampler.sample(request, reply);
        } catch (Refusal e) {
            if (sampler.path() != null) {
                held.failed(sampler.path());
            }
            throw e;
        }
    }

    private void release() throws Refusal {
        if (held != null) {
            held.release();
        }
    }

    private Strategies strategies() throws Refusal {
        if (strategies == null) {
            strategies = new Strategies();
        }
        return strategies;
    }
}
