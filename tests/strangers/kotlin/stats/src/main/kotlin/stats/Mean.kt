package stats

import java.io.File

fun mean(csv: File): Double = csv.useLines { lines ->
    lines.drop(1).map { Row(it).amount }.average()
}
