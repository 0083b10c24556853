import java.nio.file.Files;
import java.nio.file.Path;

public class JustMain {
    public static void main(String[] args) throws Exception {
        System.out.println(Files.readString(Path.of(args[0])).length());
    }
}
