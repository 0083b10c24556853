import java.io.BufferedInputStream
import java.io.File
import java.io.FileInputStream

data class Options(val header: Boolean = true, val separator: Char = ',')

fun sumAmounts(csv: File, options: Options = Options(), column: Int = 1): Double {
    var sum = 0.0
    csv.useLines { lines ->
        for (line in lines.drop(if (options.header) 1 else 0)) sum += line.split(options.separator)[column].toDouble()
    }
    return sum
}

@JvmOverloads
fun sumBytes(path: String, blockSize: Int = 4096): Long {
    var sum = 0L
    BufferedInputStream(FileInputStream(path), blockSize).use { input ->
        var next = input.read()
        while (next >= 0) {
            sum += next
            next = input.read()
        }
    }
    return sum
}
