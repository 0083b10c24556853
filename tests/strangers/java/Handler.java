import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

public class Handler {
    public static void eachLine(Path path, Consumer<String> handler) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(path)) {
            for (String line; (line = in.readLine()) != null; ) handler.accept(line);
        }
    }
}
