package org.example.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class Errors {
    public long count(Path log) throws IOException {
        try (var lines = Files.lines(log)) {
            return lines.filter(Parser::isError).count();
        }
    }
}
