import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

public class Lines {
    public static long lines(String path) throws IOException {
        byte[] block = new byte[65536];
        long count = 0;
        try (InputStream file = new FileInputStream(path)) {
            int got;
            while ((got = file.read(block)) > 0) {
                for (int at = 0; at < got; at++) {
                    count += block[at] == '\n' ? 1 : 0;
                }
            }
        }
        return count;
    }
}
