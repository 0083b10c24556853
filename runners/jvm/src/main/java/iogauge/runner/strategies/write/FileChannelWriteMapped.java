package iogauge.runner.strategies.write;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * The file mapped as one {@link MappedByteBuffer}, into which the payload is put: unmapped by the collector. A channel
 * that appends cannot be mapped, so it maps the range behind the end.
 */
public final class FileChannelWriteMapped implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-channel-write-mapped", "FileChannel.open, MappedByteBuffer.put",
                "FileChannel.map", Unit.FILE, 4)
                .durabilities(Durability.NONE, Durability.FSYNC)
                .writesMapped();
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        Durability durability = opening.durability();
        OpenOption[] options = opening.append()
                ? new OpenOption[] {CREATE, READ, WRITE}
                : new OpenOption[] {CREATE, READ, WRITE, TRUNCATE_EXISTING};
        return (path, consumer) -> {
            try (FileChannel channel = FileChannel.open(Path.of(path), options)) {
                MappedByteBuffer mapping = channel.map(MapMode.READ_WRITE, channel.size(), payload.length);
                mapping.put(payload);
                durability.finish(mapping);
                consumer.wrote(payload.length);
            }
        };
    }
}
