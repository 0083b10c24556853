package iogauge.runner.strategies.write;

import iogauge.runner.Declaration;
import iogauge.runner.Durability;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Pieces;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileOutputStream;
import java.io.IOException;

/** {@link FileOutputStream#write(byte[], int, int)}: each block goes to the system. */
public final class FileOutputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/file-output-stream", "FileOutputStream, write(byte[])",
                "FileOutputStream", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC);
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        byte[] payload = opening.payload();
        int block = opening.parameter("block");
        boolean append = opening.append();
        Durability durability = opening.durability();
        return (path, consumer) -> {
            try (FileOutputStream out = new FileOutputStream(path, append)) {
                Pieces.write(payload, block, out::write, consumer);
                durability.finish(out);
            }
        };
    }
}
