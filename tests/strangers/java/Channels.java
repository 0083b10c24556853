import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;

public class Channels {
    public static long sumMapped(FileChannel channel) throws IOException {
        MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        long sum = 0;
        while (map.hasRemaining()) sum += map.get() & 0xff;
        return sum;
    }

    public static int lastByte(RandomAccessFile file) throws IOException {
        byte[] all = new byte[(int) file.length()];
        file.readFully(all);
        return all[all.length - 1];
    }

    static long drain(SeekableByteChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(16384);
        long total = 0;
        while (channel.read(buffer) >= 0) {
            buffer.flip();
            total += buffer.remaining();
            buffer.clear();
        }
        return total;
    }
}
