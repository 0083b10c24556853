package iogauge.runner;

import java.io.IOException;

/** The loops of every strategy that writes the payload piece by piece; the last piece may be shorter. */
public final class Pieces {

    /** Where single bytes or characters go to, such as {@code OutputStream::write} or {@code Writer::write}. */
    @FunctionalInterface
    public interface Sink {
        /** Takes a byte in its lowest 8 bits, or a UTF-16 unit in its lowest 16. */
        void write(int value) throws IOException;
    }

    /** Where blocks of bytes go to, such as {@code OutputStream::write}. */
    @FunctionalInterface
    public interface ByteSink {
        /** Takes {@code length} bytes of an array, from index {@code start} on. */
        void write(byte[] array, int start, int length) throws IOException;
    }

    /** Where pieces of a text go to, such as {@code Writer::write}. */
    @FunctionalInterface
    public interface TextSink {
        /** Takes {@code length} UTF-16 units of a text, from index {@code start} on. */
        void write(String text, int start, int length) throws IOException;
    }

    private Pieces() {}

    /** Writes byte after byte. */
    public static void writeEach(byte[] payload, Sink sink, Consumer consumer) throws IOException {
        for (byte value : payload) {
            sink.write(value);
        }
        consumer.wrote(payload.length);
    }

    /** Writes character after character. */
    public static void writeEach(String text, Sink sink, Consumer consumer) throws IOException {
        for (int at = 0; at < text.length(); at++) {
            sink.write(text.charAt(at));
        }
        consumer.wrote(text.length());
    }

    /** Writes pieces of {@code block} bytes. */
    public static void write(byte[] payload, int block, ByteSink sink, Consumer consumer) throws IOException {
        int length;
        for (int at = 0; at < payload.length; at += length) {
            length = Math.min(block, payload.length - at);
            sink.write(payload, at, length);
            consumer.wrote(length);
        }
    }

    /** Writes pieces of {@code block} UTF-16 units. */
    public static void write(String text, int block, TextSink sink, Consumer consumer) throws IOException {
        int length;
        for (int at = 0; at < text.length(); at += length) {
            length = Math.min(block, text.length() - at);
            sink.write(text, at, length);
            consumer.wrote(length);
        }
    }
}
