package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Durability
import iogauge.runner.Mode
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Pieces
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.outputStream], buffered: a block that is no smaller than the stream's buffer passes it by. */
class BufferedOutputStreamBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/output-stream-buffered", "File.outputStream().buffered(), write(ByteArray)",
            "File.outputStream().buffered()", Unit.BLOCK, 2)
            .newBuffer()
            .parameters(Parameter.buffer(), Parameter.block())
            .modes(Mode.TRUNCATE)
            .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        val buffer = opening.parameter("buffer")
        val block = opening.parameter("block")
        val durability = opening.durability()
        return Operation { path, consumer ->
            File(path).outputStream().use { file ->
                file.buffered(buffer).use { out ->
                    Pieces.write(payload, block, out::write, consumer)
                    durability.finish(out, file)
                }
            }
        }
    }
}
