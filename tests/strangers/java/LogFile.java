import java.io.*;

class LogFile {
    private final File file;

    LogFile(File file) {
        this.file = file;
    }

    int errors() throws IOException {
        int found = 0;
        try (BufferedReader reader = new BufferedReader(new FileReader(file))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.contains("ERROR")) {
                    found++;
                }
            }
        }
        return found;
    }

    public String name() {
        return file.getName();
    }
}
