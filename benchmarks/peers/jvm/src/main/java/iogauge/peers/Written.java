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

/**
 * Operations that each write a new file. One call is a batch, as large as a request of iogauge's, so that its files can
 * be removed outside of the timed span. JMH then times each call alone, which a batch is long enough for; it is told on
 * its command line how many operations a call has, and reports the time of one. Where it takes turns a call is half a
 * batch, and the files of both halves are removed after the second one: whoever removes files between writing some that
 * do not count and those that do has the memory of the former for the latter, still in the processor's cache.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Written {

    private Work work;
    private String[] paths;
    private OpenedStrategy strategy;
    private Turns turns;
    private int calls;
    private int done;

    @Setup(Level.Trial)
    public void open() throws Exception {
        work = Work.ofEnvironment();
        turns = Turns.ofEnvironment();
        calls = turns.exist() ? 2 : 1;
        paths = work.written().paths(work.written().batch() / calls * calls);
        strategy = OpenedStrategy.open(work.opening());
    }

    @Setup(Level.Iteration)
    public void await(IterationParams iteration) throws Exception {
        turns.await(iteration);
    }

    @Benchmark
    public void batch() throws Exception {
        int count = paths.length / calls;
        for (int i = done * count; i < (done + 1) * count; i++) {
            strategy.run(paths[i]);
        }
    }

    @TearDown(Level.Invocation)
    public void checkAndRemove() throws Exception {
        strategy.release();
        work.due().check(strategy.takeTally(), paths.length / calls);
        done = (done + 1) % calls;
        if (done == 0) {
            work.written().checkAndRemove(paths);
        }
    }

    @TearDown(Level.Trial)
    public void end() throws Exception {
        turns.end();
    }
}
