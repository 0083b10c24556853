package iogauge.runner.strategies.published;

import iogauge.runner.Declaration;
import iogauge.runner.Opening;
import iogauge.runner.Operation;
import iogauge.runner.Strategy;
import iogauge.runner.Unit;
import java.io.FileOutputStream;
import java.io.IOException;

/** {@link FileOutputStream#write(int)}, each byte drawn just before. */
public final class PublishedFileOutputStreamByte implements Strategy {

    @Override
    public Declaration declaration() {
        return Declaration.write("java/published-file-output-stream-byte", "FileOutputStream, write(random byte)",
                "FileOutputStream.write, published", Unit.BYTE, 2)
                .noBuffer()
                .publishedRole()
                .generates()
                .computeOnly("java/random-bytes");
    }

    @Override
    public Operation open(Opening opening) throws IOException {
        int length = opening.payloadLength();
        boolean append = opening.append();
        return (path, consumer) -> {
            try (FileOutputStream out = new FileOutputStream(path, append)) {
                for (int i = 0; i < length; i++) {
                    out.write(RandomByte.next());
                }
                consumer.wrote(length);
            }
        };
    }
}
