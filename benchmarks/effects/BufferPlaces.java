import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import sun.nio.ch.DirectBuffer;

/**
 * Reads a file through direct buffers that begin at different places of a memory page.
 *
 * Arguments: the file, the buffers' size, then places (bytes after the start of a page). Prints a line per place, and first one for
 * a buffer where the runtime put it: the place, and the median ns of reading the file once.
 */
class BufferPlaces {

    private static final int PAGE = 4096;
    private static final int ROUNDS = 40;
    private static final int READS = 25;

    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        int size = Integer.parseInt(arguments[1]);
        ByteBuffer[] buffers = new ByteBuffer[arguments.length - 1];
        buffers[0] = ByteBuffer.allocateDirect(size);
        ByteBuffer room = ByteBuffer.allocateDirect(size + 2 * PAGE);
        for (int i = 1; i < buffers.length; i++) {
            int start = Math.floorMod(-place(room), PAGE) + Integer.parseInt(arguments[i + 1]);
            buffers[i] = room.duplicate().position(start).limit(start + size).slice();
        }
        long[][] times = new long[buffers.length][ROUNDS];
        for (int round = -5; round < ROUNDS; round++) {
            for (int i = 0; i < buffers.length; i++) {
                long time = read(file, buffers[i]);
                if (round >= 0) {
                    times[i][round] = time;
                }
            }
        }
        for (int i = 0; i < buffers.length; i++) {
            Arrays.sort(times[i]);
            System.out.println(place(buffers[i]) + " " + times[i][ROUNDS / 2]);
        }
    }

    private static int place(ByteBuffer buffer) {
        return (int) (((DirectBuffer) buffer).address() % PAGE);
    }

    private static long read(Path file, ByteBuffer buffer) throws IOException {
        long start = System.nanoTime();
        for (int i = 0; i < READS; i++) {
            try (FileChannel channel = FileChannel.open(file)) {
                do {
                    buffer.clear();
                } while (channel.read(buffer) > 0);
            }
        }
        return (System.nanoTime() - start) / READS;
    }
}
