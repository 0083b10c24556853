import java.io.File

suspend fun loadLater(path: String): String = File(path).readText()

fun load(path: String): String = File(path).readText()
