import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class Modern {
    sealed interface Line permits Data, Blank {}
    record Data(String text) implements Line {}
    record Blank() implements Line {}

    public static int data(Path path) throws IOException {
        int found = 0;
        for (String each : Files.readAllLines(path)) {
            Line line = each.isBlank() ? new Blank() : new Data(each);
            found += switch (line) {
                case Data(String text) when text.length() > 3 -> 1;
                case Data d -> 0;
                case Blank b -> 0;
            };
        }
        return found;
    }
}
