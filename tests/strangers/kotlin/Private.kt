import java.io.File

private fun scan(fileName: String): Int {
    var n = 0
    val block = ByteArray(512)
    File(fileName).inputStream().use { input -> while (input.read(block) > 0) n++ }
    return n
}

fun main(args: Array<String>) {
    println(scan(args[0]))
}
