package iogauge.runner;

/** What is timed: a strategy, prepared by {@link Strategy#open}, carried out on one file. */
@FunctionalInterface
public interface Operation {

    /**
     * Opens the file, works on all of it to its end, and closes it.
     *
     * @param path the file, as a program is given it
     * @param consumer takes every byte that the API delivered, in the order of the file
     * @throws Exception whatever the API throws; nothing is hidden or retried
     */
    void run(String path, Consumer consumer) throws Exception;
}
