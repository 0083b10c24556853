package iogauge.runner;

/** What is done with what an API delivered. */
public enum Consume implements Word {
    /** Nothing: it is counted. */
    NONE,
    /** The unsigned bytes at the file offsets divisible by 64 are summed: every cache line is fetched. */
    TOUCH,
    /** All unsigned bytes, all characters, or the lengths of all lines are summed. */
    SUM
}
