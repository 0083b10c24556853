package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.readLines]: all lines in a list. */
class ReadLines : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/read-lines", "File.readLines()",
            "File.readLines", Unit.FILE, 1)
            .newBuffer()
            .sums(Sums.LINE_UTF16)
            .tripsOn("lone-cr")
            .memoryPerFileByte(5.0)
            .computeOnly("java/decode-line")

    override fun open(opening: Opening) = Operation { path, consumer ->
        File(path).readLines().forEach { consumer.acceptLine(it) }
    }
}
