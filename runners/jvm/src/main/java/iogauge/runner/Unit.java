package iogauge.runner;

import java.util.Locale;

/** What a program handles at a time. */
public enum Unit {
    /** One byte. */
    BYTE,
    /** A block of bytes whose size the program chooses. */
    BLOCK,
    /** The whole file at once. */
    FILE;

    /** The word of the wire. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
