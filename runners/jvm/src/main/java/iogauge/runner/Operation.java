package iogauge.runner;

/** What is timed: a strategy, prepared by {@link Strategy#open}, carried out once. */
@FunctionalInterface
public interface Operation {

    /**
     * Opens the file, reads all of it or writes all of the payload, and closes it; or does the same in memory.
     *
     * @param path the file, as a program is given it; in memory it means nothing
     * @param consumer takes everything that the API delivered, in the order of the file, or counts what it was given
     * @throws Exception whatever the API throws; nothing is hidden or retried
     */
    void run(String path, Consumer consumer) throws Exception;

    /** Ends what {@link Strategy#open} began, such as threads; another strategy is to be opened. */
    default void close() {}
}
