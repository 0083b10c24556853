import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts lines, byte by byte through a lock, or by blocks. */
public class Bytes {
    public static void main(String[] words) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream("zeros"))) {
            System.out.println(words[0].equals("bad") ? bytes(in) : blocks(in));
        }
    }

    static long bytes(InputStream in) throws IOException {
        long lines = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            lines += b == '\n' ? 1 : 0;
        }
        return lines;
    }

    static long blocks(InputStream in) throws IOException {
        byte[] block = new byte[8192];
        long lines = 0;
        for (int n = in.read(block); n >= 0; n = in.read(block)) {
            for (int i = 0; i < n; i++) {
                lines += block[i] == '\n' ? 1 : 0;
            }
        }
        return lines;
    }
}
