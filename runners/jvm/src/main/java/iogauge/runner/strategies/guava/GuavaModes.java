package iogauge.runner.strategies.guava;

import com.google.common.io.FileWriteMode;
import iogauge.runner.Opening;

/** How Guava opens a file that is written. */
final class GuavaModes {

    private GuavaModes() {}

    static FileWriteMode[] of(Opening opening) {
        return opening.append() ? new FileWriteMode[] {FileWriteMode.APPEND} : new FileWriteMode[0];
    }
}
