package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.forEachLine]. */
class ForEachLine : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/for-each-line", "File.forEachLine { }",
            "File.forEachLine", Unit.LINE, 1)
            .newBuffer()
            .sums(Sums.LINE_UTF16)
            .tripsOn("lone-cr")
            .computeOnly("java/decode-line")

    override fun open(opening: Opening) = Operation { path, consumer ->
        File(path).forEachLine { consumer.acceptLine(it) }
    }
}
