package iogauge.runner;

/** How a file that is written is opened; one that is missing is created. */
public enum Mode implements Word {
    /** It is emptied. */
    TRUNCATE,
    /** Writing goes on at its end. */
    APPEND
}
