import java.io.File

fun eachLine(file: File, handler: (String) -> Unit) {
    file.bufferedReader().use { reader ->
        while (true) handler(reader.readLine() ?: break)
    }
}

inline fun countWhere(file: File, crossinline keep: (String) -> Boolean = { it.isNotEmpty() }): Int {
    var n = 0
    file.forEachLine { if (keep(it)) n++ }
    return n
}
