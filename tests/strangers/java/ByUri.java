import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

public class ByUri {
    public static byte[] fetch(URI location) throws IOException {
        return Files.readAllBytes(Path.of(location));
    }

    public static long checksum(DataInputStream in) throws IOException {
        java.util.zip.CRC32 crc = new java.util.zip.CRC32();
        byte[] block = new byte[8192];
        for (int n; (n = in.read(block)) > 0; ) crc.update(block, 0, n);
        return crc.getValue();
    }
}
