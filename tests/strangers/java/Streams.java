import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;

public class Streams {
    /** Counts newlines of any stream. */
    public static long newlines(InputStream in) throws IOException {
        byte[] block = new byte[8192];
        long found = 0;
        for (int n; (n = in.read(block)) > 0; ) {
            for (int i = 0; i < n; i++) {
                if (block[i] == '\n') found++;
            }
        }
        return found;
    }

    public static int characters(Reader reader) throws IOException {
        char[] block = new char[4096];
        int total = 0;
        for (int n; (n = reader.read(block)) > 0; ) total += n;
        return total;
    }

    public static long words(BufferedReader in) {
        return in.lines().mapToLong(line -> line.split(" ").length).sum();
    }
}
