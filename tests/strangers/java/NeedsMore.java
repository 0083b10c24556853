import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class NeedsMore {
    public interface Database {
        void store(String line);
    }

    public static void load(Path path, Database database) throws IOException {
        for (String line : Files.readAllLines(path)) database.store(line);
    }
}
