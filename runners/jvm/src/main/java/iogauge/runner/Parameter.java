package iogauge.runner;

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

    private static final int PRESET_BYTES = 8192;
    private static final int MAX_BYTES = 1 << 30;

    /** Bytes that the program hands to one call: {@code block}. */
    public static Parameter block() {
        return new Parameter("block", PRESET_BYTES, 1, MAX_BYTES, "bytes of the buffer given to read");
    }

    /** Bytes of the library's own buffer: {@code buffer}. */
    public static Parameter buffer() {
        return new Parameter("buffer", PRESET_BYTES, 1, MAX_BYTES, "bytes of the buffer inside the stream");
    }
}
