package iogauge.runner;

/**
 * A strategy whose operation needs a newer Java than the runner. The strategy itself is an ordinary class, so that
 * every Java can list it; its operation is a class of the jar that is compiled for the newer Java. That class has the
 * name of the strategy's followed by {@code Operation} and a public constructor that takes an {@link Opening}.
 */
public abstract class NewerStrategy implements Strategy {

    @Override
    public final Operation open(Opening opening) throws ReflectiveOperationException {
        return (Operation) Class.forName(operation()).getConstructor(Opening.class).newInstance(opening);
    }

    @Override
    public final String unavailable() {
        String reason = Strategy.super.unavailable();
        if (reason == null && ClassLoader.getSystemResource(operation().replace('.', '/') + ".class") == null) {
            reason = "was left out of this build, which was made by a JDK older than " + declaration().runtime();
        }
        return reason;
    }

    private String operation() {
        return getClass().getName() + "Operation";
    }
}
