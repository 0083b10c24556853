package iogauge.runner.strategies.read;

import iogauge.runner.Blocks;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** {@link FileInputStream#getChannel()}, read into a direct buffer: the system call fills it. */
public final class StreamChannelDirect implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/stream-channel-direct", "FileInputStream.getChannel, direct ByteBuffer",
                "FileInputStream.getChannel, direct", Unit.BLOCK, 3)
                .reusedBuffer()
                .parameters(Parameter.block())
                .computeOnly("java/consume-buffer");
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = ByteBuffer.allocateDirect(opening.parameter("block"));
        return (path, consumer) -> {
            try (FileInputStream in = new FileInputStream(path);
                    FileChannel channel = in.getChannel()) {
                Blocks.read(channel, block, consumer);
            }
        };
    }
}
