@file:JvmName("FileKit")

package kit

import java.io.File

@JvmName("linesIn")
fun lines(path: String): List<String> = File(path).readLines()

@Throws(java.io.IOException::class)
fun String.asPathSize(): Long = File(this).inputStream().use { input ->
    var total = 0L
    val block = ByteArray(4096)
    while (true) {
        val n = input.read(block)
        if (n < 0) break
        total += n
    }
    total
}
