import java.io.File

fun count(path: String): Int {
    return File(path).readLines()
}
