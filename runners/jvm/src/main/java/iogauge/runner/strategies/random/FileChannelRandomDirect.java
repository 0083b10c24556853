package iogauge.runner.strategies.random;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** {@link FileChannel#read(ByteBuffer, long)} into a direct buffer: the system call fills it. */
public final class FileChannelRandomDirect implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-random-direct", "FileChannel, read at a position, direct ByteBuffer",
                "FileChannel.read(position), direct", Unit.BLOCK, 3)
                .reusedBuffer()
                .random()
                .parameters(Parameter.block())
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        long[] offsets = opening.offsets();
        ByteBuffer block = ByteBuffer.allocateDirect(opening.parameter("block"));
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                Positions.read(channel, offsets, block, consumer);
            }
        };
    }
}
