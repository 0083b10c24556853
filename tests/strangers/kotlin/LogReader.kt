import java.io.BufferedReader
import java.io.File

class LogReader(private val path: String, private val bufferSize: Int = 16 * 1024) {
    fun lines(): List<String> = File(path).bufferedReader(bufferSize = bufferSize).use(BufferedReader::readLines)

    fun countErrors(): Int {
        var n = 0
        File(path).forEachLine { if (it.contains("ERROR")) n++ }
        return n
    }

    companion object {
        fun firstLine(file: File): String? = file.bufferedReader().use { it.readLine() }

        @JvmStatic
        fun bytes(file: File): ByteArray = file.readBytes()
    }
}
