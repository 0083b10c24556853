package iogauge.runner;

import com.grack.nanojson.JsonStringWriter;

/**
 * A number that the host chooses.
 *
 * @param name its key in {@code open}
 * @param preset the default
 * @param min the smallest value allowed
 * @param max the largest value allowed
 * @param says what it is, in a few words
 */
public record Parameter(String name, int preset, int min, int max, String says) {

    private static final int PRESET = 8192;
    private static final int MAX = 1 << 30;

    /** Bytes that the program hands to one call: {@code block}. */
    public static Parameter block() {
        return new Parameter("block", PRESET, 1, MAX, "bytes handed to one call");
    }

    /** Characters that the program hands to one call: {@code block}. */
    public static Parameter blockOfChars() {
        return new Parameter("block", PRESET, 1, MAX, "chars (UTF-16 units) handed to one call");
    }

    /** Bytes of the library's own buffer: {@code buffer}. */
    public static Parameter buffer() {
        return new Parameter("buffer", PRESET, 1, MAX, "bytes of the buffer inside the stream");
    }

    /** Characters of the library's own buffer: {@code buffer}. */
    public static Parameter bufferOfChars() {
        return new Parameter("buffer", PRESET, 1, MAX, "chars (UTF-16 units) of the buffer inside the stream");
    }

    void list(JsonStringWriter reply) {
        reply.object(name)
                .value("default", preset)
                .value("min", min)
                .value("max", max)
                .value("says", says)
                .end();
    }
}
