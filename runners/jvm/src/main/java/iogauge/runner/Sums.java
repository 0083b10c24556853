package iogauge.runner;

/** What a strategy counts and sums. */
public enum Sums implements Word {
    /** Bytes. */
    BYTE,
    /** UTF-16 units: what Java calls a {@code char}. */
    UTF16,
    /** Code points. */
    CODEPOINT,
    /** Lines, and their lengths in bytes. */
    LINE_BYTE,
    /** Lines, and their lengths in UTF-16 units: {@link String#length}. */
    LINE_UTF16,
    /** Lines, and their lengths in code points. */
    LINE_CODEPOINT,
    /** Nothing: code of the user's that makes of the file what it likes. */
    NOTHING
}
