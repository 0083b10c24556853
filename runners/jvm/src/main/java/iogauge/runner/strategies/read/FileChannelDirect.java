package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** {@link FileChannel#open}, read into a direct buffer: the system call fills it. */
public final class FileChannelDirect implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-direct", "FileChannel.open, direct ByteBuffer",
                "FileChannel.read, direct", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = ByteBuffer.allocateDirect(opening.parameter("block"));
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                Blocks.read(channel, block, consumer);
            }
        };
    }
}
