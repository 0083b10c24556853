package iogauge.runner.strategies.published;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Parameter;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileOutputStream;
import java.io.IOException;

/** {@link FileOutputStream#write(byte[], int, int)}, each block filled anew just before. */
public final class PublishedFileOutputStreamBlock implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/published-file-output-stream", "FileOutputStream, write(random byte[])",
                "FileOutputStream, as published", Unit.BLOCK, 2)
                .reusedBuffer()
                .parameters(Parameter.block())
                .publishedRole()
                .generates()
                .computeOnly("java/random-bytes");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        int total = opening.payloadLength();
        byte[] block = new byte[opening.parameter("block")];
        boolean append = opening.append();
        return (path, consumer) -> {
            try (FileOutputStream out = new FileOutputStream(path, append)) {
                int length;
                for (int at = 0; at < total; at += length) {
                    length = Math.min(block.length, total - at);
                    for (int i = 0; i < length; i++) {
                        block[i] = (byte) RandomByte.next();
                    }
                    out.write(block, 0, length);
                    consumer.wrote(length);
                }
            }
        };
    }
}
