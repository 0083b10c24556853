package iogauge.peers;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * Lets measured iterations begin when whoever started JMH says so, so that two tools can take turns: each byte that is
 * read is a number of iterations, and one is written when they are over. Without pipes for it they begin at once.
 */
final class Turns {

    /** The variable of the environment that names the folder with the two pipes. */
    private static final String VARIABLE = "IOGAUGE_PEER_TURNS";

    private final FileInputStream begin;
    private final FileOutputStream done;
    private int left;

    private Turns(FileInputStream begin, FileOutputStream done) {
        this.begin = begin;
        this.done = done;
    }

    static Turns ofEnvironment() throws IOException {
        String folder = System.getenv(VARIABLE);
        if (folder == null) {
            return new Turns(null, null);
        }
        return new Turns(new FileInputStream(Path.of(folder, "begin").toFile()),
                new FileOutputStream(Path.of(folder, "done").toFile()));
    }

    boolean exist() {
        return begin != null;
    }

    /** Whether this iteration has to wait for its turn. Whoever gives turns puts a cold file out of the cache before each. */
    boolean areTaken(IterationParams iteration) {
        return begin != null && iteration.getType() == IterationType.MEASUREMENT;
    }

    /** To be called before each iteration. */
    void await(IterationParams iteration) throws IOException {
        if (!areTaken(iteration)) {
            return;
        }
        if (left == 0) {
            done.write(1);
            left = begin.read();
            if (left < 1) {
                throw new IOException("nobody takes turns with this any more");
            }
        }
        left--;
    }

    /** To be called after the last one. */
    void end() throws IOException {
        if (begin != null) {
            done.write(1);
        }
    }
}
