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

/** [File.outputStream]: each block goes to the system. */
class OutputStreamBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/output-stream", "File.outputStream(), write(ByteArray)",
            "File.outputStream()", Unit.BLOCK, 2)
            .reusedBuffer()
            .parameters(Parameter.block())
            .modes(Mode.TRUNCATE)
            .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        val block = opening.parameter("block")
        val durability = opening.durability()
        return Operation { path, consumer ->
            File(path).outputStream().use { out ->
                Pieces.write(payload, block, out::write, consumer)
                durability.finish(out)
            }
        }
    }
}
