package org.example.log;

final class Parser {
    static boolean isError(String line) {
        return line.startsWith("ERROR", 11);
    }
}
