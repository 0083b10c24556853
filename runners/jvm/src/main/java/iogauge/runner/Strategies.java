package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** All strategies of the class path. */
final class Strategies {

    private final Map<String, Strategy> byName = new TreeMap<>();

    Strategies() throws Refusal {
        for (Strategy strategy : ServiceLoader.load(Strategy.class)) {
            String name = strategy.declaration().name();
            if (byName.put(name, strategy) != null) {
                throw new Refusal("two strategies are called '" + name + "'");
            }
        }
    }

    /** Writes the declarations of all, also of those that cannot run here. */
    void list(JsonStringWriter reply) {
        reply.array("strategies");
        for (Strategy strategy : byName.values()) {
            Declaration declaration = strategy.declaration();
            reply.object()
                    .value("name", declaration.name())
                    .value("title", declaration.title())
                    .value("operation", declaration.operation())
                    .value("unit", declaration.unit().toString())
                    .value("medium", "file")
                    .value("sums", "byte")
                    .array("consumes");
            for (Consume consume : declaration.consumes()) {
                reply.value(consume.toString());
            }
            reply.end().object("parameters");
            for (Parameter parameter : declaration.parameters()) {
                reply.object(parameter.name())
                        .value("default", parameter.preset())
                        .value("min", parameter.min())
                        .value("max", parameter.max())
                        .value("says", parameter.says())
                        .end();
            }
            reply.end()
                    .value("effort", declaration.effort())
                    .value("role", declaration.role())
                    .object("needs")
                    .value("memory_per_file_byte", declaration.memoryPerFileByte())
                    .value("runtime", String.valueOf(declaration.runtime()))
                    .end()
                    .value("unavailable", strategy.unavailable())
                    .end();
        }
        reply.end();
    }

    /** Prepares the strategy that a request names. */
    Sampler open(Request request) throws Refusal {
        String name = request.string("strategy");
        Strategy strategy = byName.get(name);
        if (strategy == null) {
            throw new Refusal("unknown strategy '" + name + "'");
        }
        String unavailable = strategy.unavailable();
        if (unavailable != null) {
            throw new Refusal("strategy '" + name + "' " + unavailable);
        }
        Declaration declaration = strategy.declaration();
        Consume consume = consume(request.object("workload"), declaration);
        Opening opening = new Opening(parameters(request.object("parameters"), declaration));
        try {
            return new Sampler(name, strategy.open(opening), new Consumer(consume));
        } catch (Throwable e) { // also running out of memory for a large block
            throw new Refusal("strategy '" + name + "' cannot be opened with " + opening + ": " + e, e);
        }
    }

    private static Consume consume(Request workload, Declaration declaration) throws Refusal {
        String operation = workload.string("operation");
        if (!operation.equals(declaration.operation())) {
            throw new Refusal("'operation' of '" + declaration.name() + "' is '" + declaration.operation()
                    + "', not '" + operation + "'");
        }
        String word = workload.string("consume");
        for (Consume consume : declaration.consumes()) {
            if (consume.toString().equals(word)) {
                return consume;
            }
        }
        throw new Refusal("'consume' of '" + declaration.name() + "' is one of " + declaration.consumes()
                + ", not '" + word + "'");
    }

    private static Map<String, Integer> parameters(Request given, Declaration declaration) throws Refusal {
        Map<String, Integer> values = new HashMap<>();
        for (Parameter parameter : declaration.parameters()) {
            int value = given.integer(parameter.name());
            if (value < parameter.min() || value > parameter.max()) {
                throw new Refusal("'" + parameter.name() + "' must be " + parameter.min() + " to " + parameter.max()
                        + ", not " + value);
            }
            values.put(parameter.name(), value);
        }
        for (String key : given.keys()) {
            if (!values.containsKey(key)) {
                throw new Refusal("'" + declaration.name() + "' has no parameter '" + key + "'");
            }
        }
        return values;
    }
}
