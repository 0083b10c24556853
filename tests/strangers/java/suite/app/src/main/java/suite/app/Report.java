package suite.app;

import java.io.File;
import java.io.IOException;
import suite.core.Lines;

public class Report {
    private final String separator;

    public Report() {
        this(",");
    }

    public Report(String separator) {
        this.separator = separator;
    }

    public int columns(File file) throws IOException {
        int most = 0;
        try (var lines = Lines.of(file)) {
            while (lines.hasNext()) most = Math.max(most, lines.next().split(separator).length);
        }
        return most;
    }
}
