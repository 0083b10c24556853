package pieces

internal fun amountOf(line: String): Double = line.substringAfter(',').toDouble()
