package iogauge.runner.strategies.read;

import iogauge.runner.Consumer;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * {@link FileChannel#read(ByteBuffer, long)} by several threads, each a part of the file into a direct buffer of its own. The
 * threads are made beforehand, as a program would keep them.
 */
public final class FileChannelParallel implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/file-channel-parallel", "FileChannel, read at positions by several threads",
                "FileChannel.read, threads", Unit.BLOCK, 4)
                .reusedBuffer()
                .parameters(Parameter.block(), Parameter.threads(4));
    }

    @Override
    public Operation open(Opening opening) {
        List<Part> parts = new ArrayList<>();
        for (int number = 0; number < opening.parameter("threads"); number++) {
            parts.add(new Part(ByteBuffer.allocateDirect(opening.parameter("block")), opening.consumer()));
        }
        return new InParts(parts);
    }

    /** A thread's buffer, and what it took. */
    private record Part(ByteBuffer block, Consumer consumer) {

        Void read(FileChannel channel, long from, long to) throws IOException {
            consumer.beginPart(from);
            int length;
            for (long at = from; at < to; at += length) {
                block.clear().limit((int) Math.min(block.capacity(), to - at));
                length = channel.read(block, at);
                if (length < 0) {
                    break; // the file has become shorter: the host sees it by the count
                }
                consumer.accept(block.flip());
            }
            return null;
        }
    }

    private static final class InParts implements Operation {

        private final List<Part> parts;
        private final ExecutorService threads;

        InParts(List<Part> parts) {
            this.parts = parts;
            threads = Executors.newFixedThreadPool(parts.size());
        }

        @Override
        public void run(String path, Consumer consumer) throws Exception {
            try (FileChannel channel = FileChannel.open(Path.of(path))) {
                long size = channel.size();
                int block = parts.get(0).block.capacity();
                long blocks = (size + block - 1) / block;
                long length = (blocks + parts.size() - 1) / parts.size() * block;
                List<Callable<Void>> tasks = new ArrayList<>();
                for (int number = 0; number < parts.size(); number++) {
                    Part part = parts.get(number);
                    long from = Math.min(size, number * length);
                    long to = Math.min(size, from + length);
                    tasks.add(() -> part.read(channel, from, to));
                }
                for (Future<Void> done : threads.invokeAll(tasks)) {
                    done.get();
                }
                for (Part part : parts) {
                    consumer.add(part.consumer);
                }
            }
        }

        @Override
        public void close() {
            threads.shutdown();
        }
    }
}
