package iogauge.runner.strategies.kotlin

import iogauge.runner.Blocks
import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.inputStream], buffered, and blocks of bytes: one that is no smaller than the stream's buffer passes it by. */
class BufferedInputStreamBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/input-stream-buffered", "File.inputStream().buffered(), read(ByteArray)",
            "File.inputStream().buffered()", Unit.BLOCK, 2)
            .newBuffer()
            .parameters(Parameter.buffer(), Parameter.block())
            .computeOnly("java/consume-array")

    override fun open(opening: Opening): Operation {
        val buffer = opening.parameter("buffer")
        val block = ByteArray(opening.parameter("block"))
        return Operation { path, consumer ->
            File(path).inputStream().buffered(buffer).use { Blocks.read(it::read, block, consumer) }
        }
    }
}
