import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class Read {
    public static long lines(Path p) throws IOException {
        try (var all = Files.lines(p)) {
            return all.count();
        }
    }
}
