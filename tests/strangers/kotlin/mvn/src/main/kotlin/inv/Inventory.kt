package inv

import java.io.File
import okio.buffer
import okio.source

class Inventory {
    fun lines(file: File): Int = file.source().buffer().use { source ->
        generateSequence { source.readUtf8Line() }.count()
    }
}
