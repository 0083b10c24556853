import java.io.File

interface Sink {
    fun put(line: String)
}

fun store(path: String, sink: Sink) = File(path).forEachLine { sink.put(it) }
