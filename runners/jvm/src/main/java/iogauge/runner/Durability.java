package iogauge.runner;

import java.io.FileOutputStream;
import java.io.Flushable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/** What makes a written file durable. */
public enum Durability implements Word {
    /** Nothing: the system writes it back when it likes. */
    NONE,
    /** One call before the file is closed. */
    FSYNC,
    /** The same for the data, and for what is needed to read them; not for times. */
    FDATASYNC,
    /** The way the file is opened: a write returns when its data are durable. */
    DSYNC;

    /** To be called after the last write, before the file is closed. */
    public void finish(RandomAccessFile file) throws IOException {
        if (this == FSYNC) {
            file.getFD().sync();
        } else if (this == FDATASYNC) {
            file.getChannel().force(false);
        }
    }

    /** To be called after the last write, before the file is closed. */
    public void finish(FileOutputStream file) throws IOException {
        if (this == FSYNC) {
            file.getFD().sync();
        } else if (this == FDATASYNC) {
            file.getChannel().force(false);
        }
    }

    /** To be called after the last write into a buffer before the file, before both are closed. */
    public void finish(Flushable buffer, FileOutputStream file) throws IOException {
        if (this == FSYNC || this == FDATASYNC) {
            buffer.flush();
            finish(file);
        }
    }

    /** To be called after the last write, before the channel is closed. */
    public void finish(FileChannel channel) throws IOException {
        if (this == FSYNC || this == FDATASYNC) {
            channel.force(this == FSYNC);
        }
    }

    /** To be called after the last change of a mapped file. */
    public void finish(MappedByteBuffer mapping) {
        if (this == FSYNC) {
            mapping.force();
        }
    }
}
