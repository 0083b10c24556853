package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.bufferedReader] and a loop over `readLine`. */
class BufferedReaderLine : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/buffered-reader-line", "File.bufferedReader(), readLine()",
            "File.bufferedReader().readLine", Unit.LINE, 2)
            .newBuffer()
            .sums(Sums.LINE_UTF16)
            .tripsOn("lone-cr")
            .parameters(Parameter.bufferOfChars())
            .computeOnly("java/decode-line")

    override fun open(opening: Opening): Operation {
        val buffer = opening.parameter("buffer")
        return Operation { path, consumer ->
            File(path).bufferedReader(bufferSize = buffer).use { consumer.acceptLines(it::readLine) }
        }
    }
}
