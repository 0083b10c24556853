import java.io.RandomAccessFile
import java.nio.ByteBuffer
import java.nio.channels.FileChannel

fun sumMapped(channel: FileChannel): Long {
    val map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size())
    var sum = 0L
    while (map.hasRemaining()) sum += map.get()
    return sum
}

fun drain(file: RandomAccessFile): Int {
    val buffer = ByteBuffer.allocate(1 shl 16)
    var total = 0
    while (file.channel.read(buffer) >= 0) {
        total += buffer.position()
        buffer.clear()
    }
    return total
}
