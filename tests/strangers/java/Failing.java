import java.nio.file.Files;
import java.nio.file.Path;

public class Failing {
    static class ConfigurationError extends RuntimeException {
        ConfigurationError(String said) {
            super(said);
        }
    }

    public static int load(Path path) throws Exception {
        String text = Files.readString(path);
        if (!text.startsWith("[")) {
            throw new ConfigurationError("no section at the start");
        }
        return text.length();
    }
}
