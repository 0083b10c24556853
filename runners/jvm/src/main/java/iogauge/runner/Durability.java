package iogauge.runner;

import java.io.FileDescriptor;
import java.io.Flushable;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/** What makes a written file durable. */
public enum Durability implements Word {
    /** Nothing: the system writes it back when it likes. */
    NONE,
    /** One call before the file is closed. */
    FSYNC,
    /** The way the file is opened: a write returns when its data are durable. */
    DSYNC;

    /** To be called after the last write, before the file is closed. */
    public void finish(FileDescriptor file) throws IOException {
        if (this == FSYNC) {
            file.sync();
        }
    }

    /** To be called after the last write into a buffer before the file, before both are closed. */
    public void finish(Flushable buffer, FileDescriptor file) throws IOException {
        if (this == FSYNC) {
            buffer.flush();
            file.sync();
        }
    }

    /** To be called after the last write, before the channel is closed. */
    public void finish(FileChannel channel) throws IOException {
        if (this == FSYNC) {
            channel.force(true);
        }
    }

    /** To be called after the last change of a mapped file. */
    public void finish(MappedByteBuffer mapping) {
        if (this == FSYNC) {
            mapping.force();
        }
    }
}
