package iogauge.runner;

/**
 * One way to do the I/O with one API. An implementation is one small public class with a public constructor without
 * parameters, in the package {@code iogauge.runner.strategies} or one below: that is what makes the {@link Index}
 * find it.
 */
public interface Strategy {

    /** What this strategy is called, does and needs. */
    Declaration declaration();

    /**
     * Prepares, untimed, what the program owns and reuses in every operation, such as the block it reads into or the
     * payload in the form in which it has its data.
     *
     * @param opening what the host asked for, checked against the declaration
     * @throws Exception whatever makes it impossible; the host is told
     */
    Operation open(Opening opening) throws Exception;

    /** Why this strategy cannot run in this process, or null when it can. */
    default String unavailable() {
        int needed = declaration().runtime();
        return Runtime.version().feature() >= needed ? null
                : "needs Java " + needed + " or newer, this is " + JavaVersion.numbers();
    }
}
