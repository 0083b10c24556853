package iogauge.runner.strategies.published;

import iogauge.runner.Blocks;
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
import java.nio.file.Path;

/** Reading a file through a channel that holds a shared lock of the whole file meanwhile, as a publication did. */
abstract class LockedChannel implements Strategy {

    /** How the channel is come by. Closing it closes the stream too. */
    enum Opened {
        DIRECTLY("file-channel", "FileChannel.open") {
            @Override
            FileChannel open(String path) throws IOException {
                return FileChannel.open(Path.of(path));
            }
        },
        FROM_STREAM("stream-channel", "FileInputStream.getChannel") {
            @Override
            FileChannel open(String path) throws IOException {
                return new FileInputStream(path).getChannel();
            }
        };

        private final String name;
        private final String title;

        Opened(String name, String title) {
            this.name = name;
            this.title = title;
        }

        abstract FileChannel open(String path) throws IOException;
    }

    /** What it is read into. */
    enum Into {
        HEAP("heap", "heap ByteBuffer"),
        DIRECT("direct", "direct ByteBuffer"),
        MAPPED("mapped", "MappedByteBuffer");

        private final String name;
        private final String title;

        Into(String name, String title) {
            this.name = name;
            this.title = title;
        }
    }

    private final Opened opened;
    private final Into into;

    LockedChannel(Opened opened, Into into) {
        this.opened = opened;
        this.into = into;
    }

    @Override
    public Declaration declaration() {
        Declaration declaration = Declaration.read("java/published-locked-" + opened.name + "-" + into.name,
                opened.title + ", locked, " + into.title,
                into == Into.MAPPED ? Unit.FILE : Unit.BLOCK, 4)
                .publishedRole()
                .companion(into == Into.HEAP ? "java/consume-array" : "java/consume-buffer");
        return into == Into.MAPPED ? declaration.mapped() : declaration.parameters(Parameter.block());
    }

    @Override
    public Operation open(Opening opening) {
        ByteBuffer block = switch (into) {
            case HEAP -> ByteBuffer.allocate(opening.parameter("block"));
            case DIRECT -> ByteBuffer.allocateDirect(opening.parameter("block"));
            case MAPPED -> null;
        };
        return (path, consumer) -> {
            try (FileChannel channel = opened.open(path);
                    FileLock lock = channel.lock(0, Long.MAX_VALUE, true)) {
                read(channel, block, consumer);
            }
        };
    }

    private static void read(FileChannel channel, ByteBuffer block, Consumer consumer) throws IOException {
        if (block == null) {
            consumer.accept(channel.map(MapMode.READ_ONLY, 0, channel.size()));
        } else {
            Blocks.read(channel, block, consumer);
        }
    }
}
