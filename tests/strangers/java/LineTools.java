package com.acme.text;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Everything about lines, in the old style. */
public final class LineTools {
    private LineTools() {}

    public static List<String> readAll(String fileName) throws IOException {
        List<String> found = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new FileReader(fileName))) {
            String line;
            while ((line = in.readLine()) != null) {
                found.add(line);
            }
        }
        return found;
    }

    public static int countLines(File file) throws IOException {
        int n = 0;
        try (BufferedReader in = new BufferedReader(new FileReader(file))) {
            while (in.readLine() != null) n++;
        }
        return n;
    }

    public static boolean isComment(String line, char mark) {
        return !line.isEmpty() && line.charAt(0) == mark;
    }
}
