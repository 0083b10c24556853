package pieces

import java.io.File

fun main() = println(total("csv"))

fun total(csvPath: String): Double = File(csvPath).readLines().drop(1).sumOf { amountOf(it) }
