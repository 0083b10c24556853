package iogauge.runner;

/** What a program handles at a time. */
public enum Unit implements Word {
    /** One byte. */
    BYTE,
    /** A block of bytes or characters whose size the program chooses, or a value of 8 bytes. */
    BLOCK,
    /** One character. */
    CHAR,
    /** One line. */
    LINE,
    /** The whole file at once. */
    FILE
}
