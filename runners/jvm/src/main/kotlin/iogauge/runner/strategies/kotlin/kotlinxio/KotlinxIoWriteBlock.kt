package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Pieces
import iogauge.runner.Strategy
import iogauge.runner.Unit
import kotlinx.io.buffered
import kotlinx.io.files.Path
import kotlinx.io.files.SystemFileSystem

/** `Sink.write`: into segments of 8 KiB, each of which goes to the system when it is full. */
class KotlinxIoWriteBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/kotlinx-io-write", "kotlinx-io Sink.write(ByteArray)",
            "kotlinx-io Sink.write", Unit.BLOCK, 2)
            .reusedBuffer() // the library keeps its segments in a pool
            .parameters(Parameter.block())

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        val block = opening.parameter("block")
        val append = opening.append()
        return Operation { path, consumer ->
            SystemFileSystem.sink(Path(path), append).buffered().use { out ->
                val write = Pieces.ByteSink { bytes, start, length -> out.write(bytes, start, start + length) }
                Pieces.write(payload, block, write, consumer)
            }
        }
    }
}
