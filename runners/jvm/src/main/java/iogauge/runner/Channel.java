package iogauge.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Lines to and from the host. The host counts this process's system calls around a sample, so a line costs one read and
 * one write as long as the pipe carries it in one piece.
 */
final class Channel {

    private static final int PIPE_BYTES = 1 << 16;

    private final InputStream in;
    private final OutputStream out;
    private byte[] received = new byte[PIPE_BYTES];
    private int length;

    /** Both streams must be unbuffered. */
    Channel(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /** The next line without its end, or null when there is no more. */
    String receive() throws IOException {
        int searched = 0;
        while (true) {
            for (; searched < length; searched++) {
                if (received[searched] == '\n') {
                    return take(searched);
                }
            }
            if (length == received.length) {
                received = Arrays.copyOf(received, 2 * length);
            }
            int count = in.read(received, length, received.length - length);
            if (count < 0) {
                return null;
            }
            length += count;
        }
    }

    void send(String line) throws IOException {
        out.write((line + '\n').getBytes(StandardCharsets.UTF_8));
    }

    private String take(int end) {
        String line = new String(received, 0, end, StandardCharsets.UTF_8);
        length -= end + 1;
        System.arraycopy(received, end + 1, received, 0, length);
        return line;
    }
}
