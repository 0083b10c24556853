import java.nio.file.*;

long count(Path path) throws Exception {
    return Files.readAllLines(path).size();
}

void main() throws Exception {
    System.out.println(count(Path.of("log")));
}
