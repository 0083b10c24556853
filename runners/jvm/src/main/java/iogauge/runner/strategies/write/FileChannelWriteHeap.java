package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * {@link FileChannel#write(ByteBuffer)} of a buffer on the heap, which is the payload itself: the channel copies
 * through a buffer of its own.
 */
public final class FileChannelWriteHeap implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-channel-write-heap", "FileChannel.open, write, heap ByteBuffer",
                "FileChannel.write, heap", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        ByteBuffer payload = ByteBuffer.wrap(opening.payload());
        int block = opening.parameter("block");
        Durability durability = opening.durability();
        OpenOption[] options = opening.options();
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path), options)) {
                int length;
                for (int at = 0; at < payload.capacity(); at += length) {
                    length = Math.min(block, payload.capacity() - at);
                    WholeBuffers.write(channel, payload.limit(at + length).position(at), consumer);
                }
                durability.finish(channel);
            }
        };
    }
}
