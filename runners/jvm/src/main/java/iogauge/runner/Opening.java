package iogauge.runner;

import java.util.Map;

/** What the host asks a strategy to prepare for, checked against its declaration. */
public final class Opening {

    private final Map<String, Integer> parameters;

    Opening(Map<String, Integer> parameters) {
        this.parameters = parameters;
    }

    /** The value of a parameter that the strategy declared. */
    public int parameter(String name) {
        return parameters.get(name);
    }

    @Override
    public String toString() {
        return parameters.toString();
    }
}
