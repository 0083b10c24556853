package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Blocks
import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import kotlinx.io.buffered
import kotlinx.io.files.Path
import kotlinx.io.files.SystemFileSystem

/** `Source.readAtMostTo`: out of a segment of 8 KiB, filled from the file; it never delivers more at once. */
class KotlinxIoReadBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-read", "kotlinx-io Source.readAtMostTo(ByteArray)",
            "kotlinx-io Source.readAtMostTo", Unit.BLOCK, 2)
            .reusedBuffer() // the library keeps its segments in a pool
            .parameters(Parameter.block())
            .computeOnly("java/consume-array")

    override fun open(opening: Opening): Operation {
        val block = ByteArray(opening.parameter("block"))
        return Operation { path, consumer ->
            SystemFileSystem.source(Path(path)).buffered().use { Blocks.read(it::readAtMostTo, block, consumer) }
        }
    }
}
