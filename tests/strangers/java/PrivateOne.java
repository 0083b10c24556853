import java.io.FileInputStream;
import java.io.IOException;

public class PrivateOne {
    private static long scan(String path) throws IOException {
        long sum = 0;
        try (FileInputStream in = new FileInputStream(path)) {
            for (int b; (b = in.read()) >= 0; ) sum += b;
        }
        return sum;
    }

    public static void main(String[] args) throws IOException {
        System.out.println(scan(args[0]));
    }
}
