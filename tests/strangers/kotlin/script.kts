import java.io.File

fun count(path: String) = File(path).readLines().size

println(count(args[0]))
