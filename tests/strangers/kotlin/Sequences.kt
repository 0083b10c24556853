import java.io.File

fun lazily(path: String): Sequence<String> = sequence {
    File(path).bufferedReader().use { reader ->
        while (true) yield(reader.readLine() ?: break)
    }
}

fun split(path: String): Sequence<List<String>> = File(path).readLines().asSequence().map { it.split(' ') }
