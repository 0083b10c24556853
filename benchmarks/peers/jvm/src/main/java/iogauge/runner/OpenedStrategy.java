package iogauge.runner;

/**
 * A strategy of the runner for a program that is not the runner: opened by the same request, and called as the
 * {@link Sampler} calls it. It lies in the runner's package because what it needs is visible only there.
 */
public final class OpenedStrategy {

    /** What was consumed since the last time that this was taken. */
    public record Tally(long count, long sum) {}

    private final Operation operation;
    private final Consumer consumer;
    private final HeldFiles held;

    private OpenedStrategy(Operation operation, Consume consume, HeldFiles held) {
        this.operation = operation;
        this.consumer = new Consumer(consume);
        this.held = held;
    }

    /**
     * Prepares a strategy, untimed.
     *
     * @param request an {@code open} of {@code docs/wire.md}
     */
    public static OpenedStrategy open(String request) throws Exception {
        HeldFiles held = HeldFiles.ofRuntime();
        Request opening = Request.parse(request);
        String name = opening.string("strategy");
        String type = Index.read().get(name);
        if (type == null) {
            throw new IllegalArgumentException("the runner has no strategy " + name);
        }
        Strategy strategy = Index.strategy(type);
        if (strategy.unavailable() != null) {
            throw new IllegalArgumentException(name + ' ' + strategy.unavailable());
        }
        Opening opened = new Opening(opening, strategy.declaration());
        return new OpenedStrategy(strategy.open(opened), opened.consume(), held);
    }

    /** One operation. */
    public void run(String path) throws Exception {
        consumer.begin();
        operation.run(path, consumer);
    }

    /** What the operations since the last call consumed; in memory, the sum is that of what the last one made. */
    public Tally takeTally() {
        consumer.end();
        Tally tally = new Tally(consumer.count(), consumer.sum());
        consumer.clear();
        return tally;
    }

    /** Lets go of every mapped file: collects until none is left, and not at all where none is. */
    public void release() throws Exception {
        held.release();
    }
}
