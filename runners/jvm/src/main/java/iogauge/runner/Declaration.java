package iogauge.runner;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a strategy says of itself; the key of the same name in {@code docs/wire.md} explains each item. It begins with
 * {@link #read} and says only what differs from a contestant that runs on Java 17, whose heap does not grow with the
 * file and whose bytes can be consumed in every way.
 */
public final class Declaration {

    private final String operation;
    private final String name;
    private final String title;
    private final Unit unit;
    private final int effort;
    private List<Parameter> parameters = List.of();
    private Set<Consume> consumes = EnumSet.allOf(Consume.class);
    private String role = "contestant";
    private double memoryPerFileByte;
    private int runtime = 17;

    private Declaration(String operation, String name, String title, Unit unit, int effort) {
        this.operation = operation;
        this.name = name;
        this.title = title;
        this.unit = unit;
        this.effort = effort;
    }

    /**
     * A strategy that reads a file.
     *
     * @param name unique, {@code java/} and lower-case words joined by {@code -}
     * @param title how a programmer would call it, at most 60 characters
     * @param effort what it costs to write: 1 a one-liner, 2 a plain loop, 3 buffers to manage, 4 mapped memory
     */
    public static Declaration read(String name, String title, Unit unit, int effort) {
        return new Declaration("read", name, title, unit, effort);
    }

    /** The numbers that the host chooses. */
    public Declaration parameters(Parameter... parameters) {
        this.parameters = List.of(parameters);
        return this;
    }

    /** For an API that maps the file: it moves no byte unless one is looked at. */
    public Declaration mapped() {
        consumes = EnumSet.of(Consume.TOUCH, Consume.SUM);
        return this;
    }

    /** For the strategy that shows what the harness itself costs: there are no bytes to consume. */
    public Declaration nullRole() {
        role = "null";
        consumes = EnumSet.of(Consume.NONE);
        return this;
    }

    /** Bytes of heap that one operation holds at its peak, per byte of the file. */
    public Declaration memoryPerFileByte(double bytes) {
        memoryPerFileByte = bytes;
        return this;
    }

    /** The oldest Java that can run it. */
    public Declaration runtime(int feature) {
        runtime = feature;
        return this;
    }

    String name() {
        return name;
    }

    String operation() {
        return operation;
    }

    String title() {
        return title;
    }

    Unit unit() {
        return unit;
    }

    int effort() {
        return effort;
    }

    List<Parameter> parameters() {
        return parameters;
    }

    Set<Consume> consumes() {
        return consumes;
    }

    String role() {
        return role;
    }

    double memoryPerFileByte() {
        return memoryPerFileByte;
    }

    int runtime() {
        return runtime;
    }
}
