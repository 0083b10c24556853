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

/** Reads of a file that is not in the page cache, each timed alone: an iteration is one operation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Cold {

    private Work work;
    private ColdFile file;
    private OpenedStrategy strategy;

    @Setup(Level.Trial)
    public void open() throws Exception {
        work = Work.ofEnvironment();
        file = new ColdFile(work.path(), work.deviceBytes());
        strategy = OpenedStrategy.open(work.opening());
    }

    @Setup(Level.Invocation)
    public void evict() throws Exception {
        strategy.release();
        file.evict();
        file.look();
    }

    @Benchmark
    public void operation() throws Exception {
        strategy.run(work.path());
    }

    @TearDown(Level.Invocation)
    public void check() throws Exception {
        file.check();
        work.due().check(strategy.takeTally(), 1);
    }
}
