import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

public class Options {
    public static long size(Path path, OpenOption... options) throws IOException {
        long total = 0;
        byte[] block = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(path, options)) {
            for (int n; (n = in.read(block)) > 0; ) total += n;
        }
        return total;
    }

    public static String slurp(Path path, Charset charset) throws IOException {
        return new String(Files.readAllBytes(path), charset);
    }
}
