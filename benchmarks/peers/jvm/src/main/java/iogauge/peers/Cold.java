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

/** Reads of a file that is not in the page cache, each timed alone: an iteration is one operation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Cold {

    private Work work;
    private ColdFile file;
    private OpenedStrategy strategy;
    private Turns turns;

    @Setup(Level.Trial)
    public void open() throws Exception {
        work = Work.ofEnvironment();
        turns = Turns.ofEnvironment();
        file = new ColdFile(work.path(), work.deviceBytes());
        strategy = OpenedStrategy.open(work.opening());
    }

    @Setup(Level.Iteration)
    public void await(IterationParams iteration) throws Exception {
        turns.await(iteration);
    }

    @Setup(Level.Invocation)
    public void evict(IterationParams iteration) throws Exception {
        if (!turns.areTaken(iteration)) {
            file.evict();
        }
        file.look();
    }

    @Benchmark
    public void operation() throws Exception {
        strategy.run(work.path());
    }

    @TearDown(Level.Invocation)
    public void check() throws Exception {
        file.check();
        strategy.release();
        work.due().check(strategy.takeTally(), 1);
    }

    @TearDown(Level.Trial)
    public void end() throws Exception {
        turns.end();
    }
}
