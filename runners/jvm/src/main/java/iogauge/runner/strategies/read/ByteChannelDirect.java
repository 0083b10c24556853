package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@link Files#newByteChannel}, used as the interface only, read into a direct buffer: the system call fills it. */
public final class ByteChannelDirect implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/byte-channel-direct", "Files.newByteChannel, direct ByteBuffer",
                "Files.newByteChannel, direct", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = ByteBuffer.allocateDirect(opening.parameter("block"));
        return (path, consumer) -> {
            try (SeekableByteChannel channel = Files.newByteChannel(Path.of(path))) {
                Blocks.read(channel, block, consumer);
            }
        };
    }
}
