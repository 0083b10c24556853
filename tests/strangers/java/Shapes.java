import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

interface Shapes {
    static String firstLine(Path path) throws IOException {
        try (var in = Files.newBufferedReader(path)) {
            String first = in.readLine();
            while (in.readLine() != null) { }
            return first;
        }
    }

    default int count(Path path) throws IOException {
        return Files.readAllLines(path).size();
    }
}

enum Mode {
    FAST, SLOW;

    public static byte[] bytes(String path) throws IOException {
        return Files.readAllBytes(Path.of(path));
    }
}
