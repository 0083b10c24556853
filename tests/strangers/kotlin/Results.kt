import java.io.File
import java.nio.file.Path
import kotlin.io.path.readLines

sealed class Outcome {
    data class Ok(val lines: Int) : Outcome()
    data class Wrong(val why: String) : Outcome()
}

fun check(path: Path): Outcome = try {
    Outcome.Ok(path.readLines().size)
} catch (e: java.io.IOException) {
    Outcome.Wrong(e.message ?: "?")
}

fun histogram(file: File): Map<Char, Int> = file.readText().groupingBy { it }.eachCount()

fun tryCount(path: String): Result<Int> = runCatching { File(path).readLines().size }
