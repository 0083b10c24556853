package iogauge.peers;

import iogauge.runner.OpenedStrategy;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.IterationParams;

/** Operations that leave nothing behind, one after another: reading a cached file, and all work in memory. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Repeated {

    private Work work;
    private String path;
    private OpenedStrategy strategy;
    private Turns turns;

    @Setup(Level.Trial)
    public void open() throws Exception {
        work = Work.ofEnvironment();
        turns = Turns.ofEnvironment();
        path = work.path();
        strategy = OpenedStrategy.open(work.opening());
        strategy.run(path);
        work.due().check(strategy.takeTally(), 1);
    }

    @Setup(Level.Iteration)
    public void await(IterationParams iteration) throws Exception {
        turns.await(iteration);
    }

    @Benchmark
    public void operation() throws Exception {
        strategy.run(path);
    }

    @TearDown(Level.Iteration)
    public void check() {
        work.due().check(strategy.takeTally());
    }

    @TearDown(Level.Trial)
    public void end() throws Exception {
        turns.end();
    }
}
