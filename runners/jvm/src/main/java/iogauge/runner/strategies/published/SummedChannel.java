package iogauge.runner.strategies.published;

import iogauge.runner.Consume;
import iogauge.runner.Consumer;
import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reading a channel into a buffer that is made anew for each file, and summing byte by byte, as a publication did. Its
 * FileChannels held a shared lock of the whole file meanwhile.
 */
abstract class SummedChannel implements Strategy {

    /** How the channel is come by. Closing it closes the stream too. */
    enum Opened {
        LOCKED_FILE("locked-file-channel", "FileChannel.open, locked", "FileChannel") {
            @Override
            FileChannel open(String path) throws IOException {
                return FileChannel.open(Path.of(path));
            }
        },
        LOCKED_STREAM("locked-stream-channel", "getChannel of a stream, locked", "getChannel") {
            @Override
            FileChannel open(String path) throws IOException {
                return new FileInputStream(path).getChannel();
            }
        },
        BYTES("byte-channel", "Files.newByteChannel", "ByteChannel") {
            @Override
            SeekableByteChannel open(String path) throws IOException {
                return Files.newByteChannel(Path.of(path));
            }
        };

        private final String name;
        private final String title;
        private final String call;

        Opened(String name, String title, String call) {
            this.name = name;
            this.title = title;
            this.call = call;
        }

        abstract SeekableByteChannel open(String path) throws IOException;
    }

    /** What it is read into. */
    enum Into {
        HEAP("heap"),
        DIRECT("direct"),
        MAPPED("mapped");

        private final String name;

        Into(String name) {
            this.name = name;
        }
    }

    private final Opened opened;
    private final Into into;

    SummedChannel(Opened opened, Into into) {
        this.opened = opened;
        this.into = into;
    }

    @Override
    public Declaration declaration() {
        Declaration declaration = Declaration.read("java/published-" + opened.name + "-" + into.name,
                opened.title + ", " + into.name + ", each byte summed",
                opened.call + ", " + into.name + ", as published", into == Into.MAPPED ? Unit.FILE : Unit.BLOCK, 4)
                .publishedRole()
                .consumes(Consume.SUM)
                .computeOnly(into == Into.HEAP ? "java/sum-array-byte-by-byte" : "java/sum-buffer-byte-by-byte");
        return into == Into.MAPPED ? declaration.mapped().consumes(Consume.SUM) : declaration.newBuffer().parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) {
        int block = into == Into.MAPPED ? 0 : opening.parameter("block");
        return (path, consumer) -> {
            try (SeekableByteChannel channel = opened.open(path);
                    FileLock lock = channel instanceof FileChannel file && opened != Opened.BYTES
                            ? file.lock(0, Long.MAX_VALUE, true)
                            : null) {
                if (into == Into.MAPPED) {
                    ByteBuffer all = ((FileChannel) channel).map(MapMode.READ_ONLY, 0, channel.size());
                    consumer.summed(all.remaining(), ByteByByte.sum(all));
                } else {
                    read(channel, block, consumer);
                }
            }
        };
    }

    private void read(SeekableByteChannel channel, int block, Consumer consumer) throws IOException {
        ByteBuffer buffer = into == Into.HEAP ? ByteBuffer.allocate(block) : ByteBuffer.allocateDirect(block);
        long count = 0;
        long sum = 0;
        int length;
        while ((length = channel.read(buffer.clear())) >= 0) {
            sum += ByteByByte.sum(buffer.flip());
            count += length;
        }
        consumer.summed(count, sum);
    }
}
