package iogauge.runner;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.io.LineNumberReader;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Scanner;

import static java.util.Map.entry;

/** The ways in which a file is given to a function that was not written for the runner: by the name of a type. */
final class OwnFiles {

    /** Makes of a path what a function takes; inside the timed span, and as plainly as a program would. */
    @FunctionalInterface
    interface Way {
        /** The file in another form, perhaps open. */
        Object of(String path) throws Exception;
    }

    private static final Map<String, Way> WAYS = Map.ofEntries(
            entry("String", path -> path),
            entry("CharSequence", path -> path),
            entry("Path", Path::of),
            entry("File", File::new),
            entry("URI", path -> Path.of(path).toUri()),
            entry("URL", path -> Path.of(path).toUri().toURL()),
            entry("InputStream", FileInputStream::new),
            entry("FileInputStream", FileInputStream::new),
            entry("BufferedInputStream", path -> new BufferedInputStream(new FileInputStream(path))),
            entry("DataInputStream", path -> new DataInputStream(new BufferedInputStream(new FileInputStream(path)))),
            entry("Reader", OwnFiles::reader),
            entry("FileReader", OwnFiles::reader),
            entry("InputStreamReader", path -> new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8)),
            entry("Readable", OwnFiles::reader),
            entry("BufferedReader", path -> new BufferedReader(reader(path))),
            entry("LineNumberReader", path -> new LineNumberReader(reader(path))),
            entry("Scanner", path -> new Scanner(new File(path), StandardCharsets.UTF_8)),
            entry("RandomAccessFile", path -> new RandomAccessFile(path, "r")),
            entry("DataInput", path -> new RandomAccessFile(path, "r")),
            entry("FileChannel", OwnFiles::channel),
            entry("SeekableByteChannel", OwnFiles::channel),
            entry("ReadableByteChannel", OwnFiles::channel),
            entry("ByteChannel", OwnFiles::channel),
            entry("ScatteringByteChannel", OwnFiles::channel),
            entry("GatheringByteChannel", OwnFiles::channel),
            entry("AsynchronousFileChannel", path -> AsynchronousFileChannel.open(Path.of(path))));

    private OwnFiles() {}

    /** The way of a form. */
    static Way way(String form) throws Refusal {
        Way way = WAYS.get(form);
        if (way == null) {
            throw new Refusal("no way to give a file as '" + form + "'");
        }
        return way;
    }

    private static FileReader reader(String path) throws Exception {
        return new FileReader(path, StandardCharsets.UTF_8);
    }

    private static FileChannel channel(String path) throws Exception {
        return FileChannel.open(Path.of(path));
    }
}
