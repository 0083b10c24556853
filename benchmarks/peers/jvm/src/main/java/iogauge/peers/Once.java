package iogauge.peers;

import iogauge.runner.OpenedStrategy;
import java.nio.file.Path;

/**
 * A few operations in a fresh process and nothing else, for tools that time whole processes. Files that it writes it
 * leaves: looking at them and removing them would be part of its time.
 */
public final class Once {

    private Once() {}

    /** Takes the file of the work, and the number of operations. */
    public static void main(String[] arguments) throws Exception {
        Work work = Work.read(Path.of(arguments[0]));
        int operations = Integer.parseInt(arguments[1]);
        String[] paths = work.written() == null ? new String[] {work.path()} : work.written().paths(operations);
        int step = paths.length == 1 ? 0 : 1;
        OpenedStrategy strategy = OpenedStrategy.open(work.opening());
        ColdFile file = work.cold() ? new ColdFile(work.path(), work.deviceBytes()) : null;
        if (file != null) {
            file.look();
        }
        for (int i = 0; i < operations; i++) {
            strategy.run(paths[i * step]);
        }
        if (file != null) {
            file.check();
        }
        work.due().check(strategy.takeTally(), operations);
    }
}
