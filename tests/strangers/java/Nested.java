import java.io.*;
import java.util.Scanner;

public class Nested {
    public static class WordCounter {
        private int words;

        public WordCounter() {}

        public int count(File file) throws FileNotFoundException {
            words = 0;
            try (Scanner scanner = new Scanner(file)) {
                while (scanner.hasNext()) {
                    scanner.next();
                    words++;
                }
            }
            return words;
        }
    }

    public static int tokens(Scanner scanner) {
        int found = 0;
        while (scanner.hasNextLine()) {
            scanner.nextLine();
            found++;
        }
        return found;
    }

    public class Inner {
        public int count(File file) {
            return 0;
        }
    }
}
