package iogauge.runner.strategies.write;

import iogauge.runner.Durability;
import iogauge.runner.Opening;
import java.io.IOException;
import java.io.RandomAccessFile;

/** How a {@link RandomAccessFile} is opened to be written. */
public final class RandomAccessFiles {

    private RandomAccessFiles() {}

    /** The mode of the constructor. */
    public static String mode(Opening opening) {
        return opening.durability() == Durability.DSYNC ? "rwd" : "rw";
    }

    /** Goes to where writing begins: no mode of the constructor empties a file or appends to it. */
    static void begin(RandomAccessFile file, boolean append) throws IOException {
        if (append) {
            file.seek(file.length());
        } else {
            file.setLength(0);
        }
    }
}
