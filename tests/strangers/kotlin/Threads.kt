import java.io.File
import java.util.concurrent.CompletableFuture
import kotlin.concurrent.thread

fun countInThreads(path: String): Int {
    val bytes = File(path).readBytes()
    val found = IntArray(2)
    val half = bytes.size / 2
    val all = (0..1).map { part ->
        thread {
            for (i in (if (part == 0) 0 until half else half until bytes.size)) if (bytes[i] == 10.toByte()) found[part]++
        }
    }
    all.forEach { it.join() }
    return found.sum()
}

fun sizeLater(file: File): CompletableFuture<Int> = CompletableFuture.supplyAsync { file.readBytes().size }
