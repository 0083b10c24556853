package iogauge.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The files that operations still hold when they are over. A {@code MappedByteBuffer} stays mapped until it is collected,
 * and the pages of a mapped file cannot be evicted; and some APIs leave a file open when they fail (the encoder of Java
 * 17's {@code FileWriter}, when its last bytes cannot be written). So the host has to be told when it is over.
 */
final class HeldFiles {

    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final boolean KNOWN = Files.isReadable(MAPS);
    private static final long RELEASE_NS = TimeUnit.SECONDS.toNanos(10);
    /** Unmapping follows the collection within a few ms, on a thread of the runtime. */
    private static final long PAUSE_MS = 5;

    private final Set<String> ofRuntime;
    /** Files on which an operation failed, as the system calls them. */
    private final Set<Path> failed = new HashSet<>();

    private HeldFiles(Set<String> ofRuntime) {
        this.ofRuntime = ofRuntime;
    }

    /** To be called before any operation: what is mapped now is the runtime's own and stays. */
    static HeldFiles ofRuntime() throws Refusal {
        return new HeldFiles(KNOWN ? shared() : Set.of());
    }

    /** An operation failed on this file: {@link #release} has to look whether it is still open. */
    void failed(String path) {
        try {
            failed.add(Path.of(path).toRealPath());
        } catch (IOException | InvalidPathException e) {
            // There is no such file, so none is open.
        }
    }

    /**
     * Collects until no file of an operation is mapped or open, for at most 10 s: on a busy machine collections take long.
     * Where the system does not tell, once.
     */
    void release() throws Refusal {
        if (!KNOWN) {
            System.gc();
            return;
        }
        long start = System.nanoTime();
        Set<String> left;
        while (!(left = ofOperations()).isEmpty()) {
            if (System.nanoTime() - start > RELEASE_NS) {
                throw new Refusal("still held after 10 s of collecting: " + left);
            }
            System.gc();
            pause();
        }
        failed.clear();
    }

    private Set<String> ofOperations() throws Refusal {
        Set<String> files = shared();
        files.removeAll(ofRuntime);
        if (!failed.isEmpty()) {
            files.addAll(open());
        }
        return files;
    }

    /** Those of the failed files that have a descriptor. */
    private Set<String> open() throws Refusal {
        Set<String> files = new HashSet<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OPEN)) {
            for (Path descriptor : descriptors) {
                if (Files.isSymbolicLink(descriptor)) { // that of the listing itself is gone soon
                    String name = Files.readSymbolicLink(descriptor).toString().replaceFirst(" \\(deleted\\)$", "");
                    if (failed.contains(Path.of(name))) {
                        files.add(name);
                    }
                }
            }
        } catch (IOException e) {
            throw new Refusal("cannot tell which files are open: " + e, e);
        }
        return files;
    }

    /** Device, inode and path of every file in a shared mapping; the runtime maps its libraries privately. */
    private static Set<String> shared() throws Refusal {
        Set<String> files = new HashSet<>();
        // Paths may hold any bytes; this charset takes all of them.
        try (BufferedReader lines = Files.newBufferedReader(MAPS, StandardCharsets.ISO_8859_1)) {
            String line;
            while ((line = lines.readLine()) != null) {
                // address permissions offset device inode path
                String[] fields = line.split(" +", 6);
                if (fields[1].endsWith("s") && !fields[4].equals("0")) {
                    files.add(fields[3] + ' ' + fields[4] + ' ' + fields[5]);
                }
            }
        } catch (IOException e) {
            throw new Refusal("cannot tell which files are mapped: " + e, e);
        }
        return files;
    }

    private static void pause() throws Refusal {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            throw new Refusal("interrupted while waiting for the release of files", e);
        }
    }
}
