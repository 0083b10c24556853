package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.inputStream], buffered, byte after byte. */
class BufferedInputStreamByte : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/input-stream-buffered-byte", "File.inputStream().buffered(), read()",
            "inputStream().buffered().read()", Unit.BYTE, 2)
            .newBuffer()
            .parameters(Parameter.buffer())
            .computeOnly("java/consume-byte")

    override fun open(opening: Opening): Operation {
        val buffer = opening.parameter("buffer")
        return Operation { path, consumer ->
            File(path).inputStream().buffered(buffer).use { consumer.acceptEach(it::read) }
        }
    }
}
