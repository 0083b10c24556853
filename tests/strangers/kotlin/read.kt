import java.io.File

fun countLines(path: String): Int = File(path).readLines().size
