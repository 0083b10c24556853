import java.io.FileInputStream;
import java.io.IOException;

public class PrivateOne {
    private static long scan(String path) throws IOException {
        long sum = 0;
        try (FileInputStream in = new FileInputStream(path)) {
            byte[] block = new byte[512];
            for (int n; (n = in.read(block)) > 0; ) sum += block[n - 1];
        }
        return sum;
    }

    public static void main(String[] args) throws IOException {
        System.out.println(scan(args[0]));
    }
}
