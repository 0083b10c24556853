package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;

/**
 * A number that the host chooses.
 *
 * @param name its key in {@code open}
 * @param preset the default
 * @param min the smallest value allowed
 * @param max the largest value allowed
 * @param unit {@code bytes}, {@code chars}, {@code count} or {@code switch}
 * @param role what the value means to a measurement (docs/wire.md): {@code piece}, {@code buffer} …
 * @param says what it is, in a few words
 */
public record Parameter(String name, int preset, int min, int max, String unit, String role, String says) {

    private static final int PRESET = 8192;
    private static final int MAX = 1 << 30;

    /** Bytes that the program hands to one call: {@code block}. */
    public static Parameter block() {
        return block(1, "bytes handed to one call");
    }

    /** Bytes that the program hands to one call, or is handed by one: {@code block}. */
    public static Parameter block(int min, String says) {
        return new Parameter("block", PRESET, min, MAX, "bytes", "piece", says);
    }

    /** Characters that the program hands to one call: {@code block}. */
    public static Parameter blockOfChars() {
        return new Parameter("block", PRESET, 1, MAX, "chars", "piece", "chars (UTF-16 units) handed to one call");
    }

    /** Bytes of the library's own buffer: {@code buffer}. */
    public static Parameter buffer() {
        return new Parameter("buffer", PRESET, 1, MAX, "bytes", "buffer", "bytes of the buffer inside the stream");
    }

    /** Bytes of the buffer of {@link java.util.zip.GZIPInputStream}, 512 by itself: {@code buffer}. */
    public static Parameter gzipBuffer() {
        return new Parameter("buffer", 512, 1, MAX, "bytes", "buffer", "bytes of the buffer inside the stream, still packed");
    }

    /** Characters of the library's own buffer: {@code buffer}. */
    public static Parameter bufferOfChars() {
        return new Parameter("buffer", PRESET, 1, MAX, "chars", "buffer", "chars (UTF-16 units) of the buffer inside the stream");
    }

    /** Threads that work at the same time: {@code threads}. */
    public static Parameter threads(int preset) {
        return new Parameter("threads", preset, 1, 64, "count", "parallel", "threads that read at the same time");
    }

    void list(JsonStringWriter reply) {
        reply.object(name)
                .value("default", preset)
                .value("min", min)
                .value("max", max)
                .value("unit", unit)
                .value("role", role)
                .value("says", says)
                .end();
    }
}
