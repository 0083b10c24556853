package iogauge.runner.strategies.read;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Sums;
import iogauge.runner.Unit;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@link Files#readString(Path)}: less than 2 GiB, and it must be UTF-8. At its peak it holds, beside the bytes of the
 * file, two bytes for each of them and a copy of those that are used; of ASCII no more than one copy.
 */
public final class ReadString implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.read("java/read-string", "Files.readString",
                "Files.readString", Unit.FILE, 1)
                .newBuffer()
                .sums(Sums.UTF16)
                .memoryPerFileByte(5)
                .computeOnly("java/decode-string");
    }

    @Override
    public Operation open(Opening opening) {
        return (path, consumer) -> consumer.accept(Files.readString(Path.of(path)));
    }
}
