import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.TreeSet;
import java.util.function.Function;

public class Generic {
    public static <T extends Comparable<T>> T largest(Path csv, Function<String, T> parse) throws IOException {
        T found = null;
        for (String line : Files.readAllLines(csv)) {
            T next = parse.apply(line);
            if (found == null || next.compareTo(found) > 0) found = next;
        }
        return found;
    }

    public static <C extends Collection<String>> int into(Path path) throws IOException {
        return new TreeSet<>(Files.readAllLines(path)).size();
    }
}
