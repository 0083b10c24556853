package iogauge.runner;

import java.util.Locale;

/** What is done with the bytes that an API delivered. */
public enum Consume {
    /** Nothing: they are counted. */
    NONE,
    /** The unsigned bytes at the file offsets divisible by 64 are summed: every cache line is fetched. */
    TOUCH,
    /** All unsigned bytes are summed. */
    SUM;

    /** The word of the wire. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
