import java.io.File
import java.io.Reader

fun load(path: String?): String = File(path!!).readText()

fun lines(reader: Reader?): Int = reader?.readLines()?.size ?: 0

inline fun <reified T> typed(path: String): T? = File(path).readText() as? T
