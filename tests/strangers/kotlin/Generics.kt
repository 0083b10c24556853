import java.io.File
import java.io.Reader

fun <T> mapLines(file: File, transform: (String) -> T): List<T> = file.readLines().map(transform)

fun <R : Reader> characters(reader: R): Int {
    val block = CharArray(4096)
    var total = 0
    while (true) {
        val n = reader.read(block)
        if (n < 0) return total
        total += n
    }
}

fun <A : Appendable> copyInto(path: String, target: A): A = File(path).useLines { it.joinTo(target) }
