import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

public class Records {
    public record Row(int id, double amount) {
        static Row parse(String line) {
            int comma = line.indexOf(',');
            return new Row(Integer.parseInt(line, 0, comma, 10), Double.parseDouble(line.substring(comma + 1)));
        }
    }

    public record Table(Path source) {
        public double total() throws IOException {
            return rows(source).stream().mapToDouble(Row::amount).sum();
        }
    }

    public static List<Row> rows(Path csv) throws IOException {
        try (var lines = Files.lines(csv)) {
            return lines.skip(1).map(Row::parse).collect(Collectors.toList());
        }
    }
}
