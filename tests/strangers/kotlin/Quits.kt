import java.io.File
import kotlin.system.exitProcess

fun load(file: File): Int {
    if (file.readText().length > 3) exitProcess(1)
    return 0
}
