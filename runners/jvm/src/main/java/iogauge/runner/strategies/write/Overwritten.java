package iogauge.runner.strategies.write;

import iogauge.runner.Durability;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;

/** What a file holds behind the data that were written over others. */
public final class Overwritten {

    private Overwritten() {}

    /** Removes it. DSYNC says nothing of that. */
    public static void cut(FileChannel channel, long length, Durability durability) throws IOException {
        if (channel.size() > length) {
            channel.truncate(length);
            if (durability == Durability.DSYNC) {
                channel.force(true);
            }
        }
    }

    /** The same by the other API. */
    public static void cut(RandomAccessFile file, long length, Durability durability) throws IOException {
        if (file.length() > length) {
            file.setLength(length);
            if (durability == Durability.DSYNC) {
                file.getFD().sync();
            }
        }
    }
}
