package iogauge.runner.strategies.write;

import iogauge.runner.Durability;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** What a file holds behind the data that were written over others. */
final class Overwritten {

    private Overwritten() {}

    /** Removes it. DSYNC says nothing of that. */
    static void cut(FileChannel channel, long length, Durability durability) throws IOException {
        if (channel.size() > length) {
            channel.truncate(length);
            if (durability == Durability.DSYNC) {
                channel.force(true);
            }
        }
    }
}
