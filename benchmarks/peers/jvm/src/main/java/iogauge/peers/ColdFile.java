package iogauge.peers;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file that is put out of the page cache before an operation. That it was shows in what came from the device. */
final class ColdFile {

    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final String FETCHED = "read_bytes: ";

    private final String path;
    private final long size;
    private long before;

    ColdFile(String path, long size) {
        this.path = path;
        this.size = size;
    }

    /** Java 17 has no call for it; coreutils' dd has. Nobody may map the file. */
    void evict() throws IOException, InterruptedException {
        List<String> command = List.of("dd", "if=" + path, "iflag=nocache", "count=0", "status=none");
        Process dd = new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(Redirect.INHERIT)
                .start();
        if (dd.waitFor() != 0) {
            throw new IOException("dd could not put the file out of the cache: " + path);
        }
    }

    /** To be called just before the operation. */
    void look() throws IOException {
        before = fetched();
    }

    /** To be called after the operation: refuses one that found a part of the file in memory. */
    void check() throws IOException {
        long gained = fetched() - before;
        if (gained < size) {
            throw new IllegalStateException(
                    "not cold: " + gained + " bytes came from the device, " + size + " are needed: " + path);
        }
    }

    private static long fetched() throws IOException {
        for (String line : Files.readAllLines(COUNTERS)) {
            if (line.startsWith(FETCHED)) {
                return Long.parseLong(line.substring(FETCHED.length()));
            }
        }
        throw new IOException(COUNTERS + " does not tell what came from the device");
    }
}
