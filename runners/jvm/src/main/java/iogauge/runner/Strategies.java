package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;
import java.util.Map;
import java.util.TreeMap;

/** All strategies of the {@link Index}, whose class is loaded when it is asked for, and the user's own. */
final class Strategies {

    private final Map<String, String> classOf;
    private final Map<String, Strategy> own;

    Strategies() throws Refusal {
        classOf = Index.read();
        own = Own.strategies();
    }

    /** Writes the declarations of all, also of those that cannot run here. */
    void list(JsonStringWriter reply) throws Refusal {
        reply.array("strategies");
        for (String name : new TreeMap<>(classOf).keySet()) {
            Strategy strategy = strategy(name);
            strategy.declaration().list(reply, strategy.unavailable());
        }
        for (Strategy strategy : own.values()) {
            strategy.declaration().list(reply, strategy.unavailable());
        }
        reply.end();
    }

    /** Prepares the strategy that a request names. */
    Sampler open(Request request) throws Refusal {
        String name = request.string("strategy");
        Strategy strategy = strategy(name);
        String unavailable = strategy.unavailable();
        if (unavailable != null) {
            throw new Refusal("strategy '" + name + "' " + unavailable);
        }
        Declaration declaration = strategy.declaration();
        Opening opening = new Opening(request, declaration);
        try {
            return new Sampler(declaration, strategy.open(opening), opening.consume());
        } catch (Throwable e) { // also running out of memory for a large block
            throw new Refusal("strategy '" + name + "' cannot be opened with " + opening + ": " + e, e);
        }
    }

    private Strategy strategy(String name) throws Refusal {
        if (own.containsKey(name)) {
            return own.get(name);
        }
        String type = classOf.get(name);
        if (type == null) {
            throw new Refusal("unknown strategy '" + name + "'");
        }
        try {
            return Index.strategy(type);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new Refusal("strategy '" + name + "' cannot be loaded: " + e, e);
        }
    }
}
