package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Blocks
import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import okio.FileSystem
import okio.Path.Companion.toPath

/** `BufferedSource.read`: out of a segment of 8 KiB, filled from the file; it never delivers more at once. */
class OkioReadBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-read", "okio BufferedSource.read(ByteArray)",
            "okio BufferedSource.read", Unit.BLOCK, 2)
            .reusedBuffer() // the library keeps its segments in a pool
            .parameters(Parameter.block())
            .computeOnly("java/consume-array")

    override fun open(opening: Opening): Operation {
        val block = ByteArray(opening.parameter("block"))
        return Operation { path, consumer ->
            FileSystem.SYSTEM.read(path.toPath()) { Blocks.read(::read, block, consumer) }
        }
    }
}
