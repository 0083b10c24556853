import java.io.BufferedWriter;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;

/** Writes short texts, with or without a buffer of characters. */
public class Writes {
    public static void main(String[] words) throws IOException {
        Writer out = new FileWriter("out");
        if (words[0].equals("good")) {
            out = new BufferedWriter(out, 65536);
        }
        for (int i = 0; i < 15_000_000; i++) {
            out.write("record number ");
            out.write(Integer.toString(i));
            out.write('\n');
        }
        out.close();
    }
}
