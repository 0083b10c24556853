package tools.files

import java.io.File
import java.io.InputStream
import java.nio.file.Path
import kotlin.io.path.forEachLine

fun File.countErrors(): Int = useLines { lines -> lines.count { "ERROR" in it } }

fun Path.longest(): Int {
    var most = 0
    forEachLine { if (it.length > most) most = it.length }
    return most
}

internal fun InputStream.newlines(): Long {
    var found = 0L
    val block = ByteArray(8192)
    while (true) {
        val n = read(block)
        if (n < 0) return found
        for (i in 0 until n) if (block[i] == '\n'.code.toByte()) found++
    }
}
