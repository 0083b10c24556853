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
import java.io.FileOutputStream

/** A stream that appends. Kotlin's own [java.io.File.appendBytes] keeps its stream, so nothing can be waited for. */
class AppendingStream : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/appending-stream", "FileOutputStream(file, true), write(ByteArray)",
            "FileOutputStream(file, true)", Unit.BLOCK, 2)
            .reusedBuffer()
            .parameters(Parameter.block())
            .modes(Mode.APPEND)
            .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        val block = opening.parameter("block")
        val durability = opening.durability()
        return Operation { path, consumer ->
            FileOutputStream(path, true).use { out ->
                Pieces.write(payload, block, out::write, consumer)
                durability.finish(out)
            }
        }
    }
}
