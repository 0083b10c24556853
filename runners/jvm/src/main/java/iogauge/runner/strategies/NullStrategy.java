package iogauge.runner.strategies;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;

/** Looks at nothing and opens nothing: its time is what the harness costs per operation. */
public final class NullStrategy implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/null", "nothing: the cost of the harness",
                "nothing", Unit.FILE, 1)
                .nullRole();
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> { };
    }
}
