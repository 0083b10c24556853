import java.io.File

suspend fun load(path: String): String = File(path).readText()
