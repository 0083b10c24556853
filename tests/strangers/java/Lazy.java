import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Iterator;
import java.util.stream.Stream;

public class Lazy {
    public static Stream<String> stream(String path) throws IOException {
        return Files.lines(Paths.get(path));
    }

    public static Iterable<String> iterate(CharSequence path) {
        return () -> {
            try {
                return Files.readAllLines(Paths.get(path.toString())).iterator();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }
}
