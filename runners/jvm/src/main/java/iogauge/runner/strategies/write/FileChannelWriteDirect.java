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
 * {@link FileChannel#write(ByteBuffer)} of a direct buffer, into which the payload is copied block by block: the system
 * call takes it from there.
 */
public final class FileChannelWriteDirect implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-channel-write-direct", "FileChannel.open, write, direct ByteBuffer",
                "FileChannel.write, direct", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        ByteBuffer block = ByteBuffer.allocateDirect(opening.parameter("block"));
        Durability durability = opening.durability();
        OpenOption[] options = opening.options();
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path), options)) {
                int length;
                for (int at = 0; at < payload.length; at += length) {
                    length = Math.min(block.capacity(), payload.length - at);
                    WholeBuffers.write(channel, block.clear().put(payload, at, length).flip(), consumer);
                }
                durability.finish(channel);
            }
        };
    }
}
