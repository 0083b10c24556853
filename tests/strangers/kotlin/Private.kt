import java.io.File

private fun scan(fileName: String): Int {
    var n = 0
    File(fileName).inputStream().use { input -> while (input.read() >= 0) n++ }
    return n
}

fun main(args: Array<String>) {
    println(scan(args[0]))
}
