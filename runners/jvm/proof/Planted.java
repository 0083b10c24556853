import java.io.FileInputStream;
import java.io.IOException;

/** Reads a file, and a share of it once more: {@code iogauge gate --prove} writes how much. */
public final class Planted {
    private static final double EXTRA = 0.0;

    /** Returns how many bytes a file holds. */
    public static long read(String path) throws IOException {
        byte[] block = new byte[64 << 10];
        long total = 0;
        try (FileInputStream file = new FileInputStream(path)) {
            for (int count; (count = file.read(block)) > 0; ) {
                total += count;
            }
            file.getChannel().position(0);
            long again = (long) (EXTRA * total);
            while (again > 0) {
                int count = file.read(block, 0, (int) Math.min(again, block.length));
                if (count <= 0) {
                    break;
                }
                again -= count;
            }
        }
        return total;
    }
}
