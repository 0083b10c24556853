// Ways to read a file, to be measured: iogauge FILE --own NAME.java
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class NAME {
    public static byte[] readBlocks(Path path) throws IOException {
        try (var in = new BufferedInputStream(Files.newInputStream(path))) {
            var out = new ByteArrayOutputStream();
            in.transferTo(out);
            return out.toByteArray();
        }
    }
}
