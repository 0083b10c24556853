package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Pieces
import iogauge.runner.Strategy
import iogauge.runner.Unit
import okio.FileSystem
import okio.Path.Companion.toPath
import okio.buffer

/** `BufferedSink.write`: into segments of 8 KiB, each of which goes to the system when it is full. */
class OkioWriteBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/okio-write", "okio BufferedSink.write(ByteArray)",
            "okio BufferedSink.write", Unit.BLOCK, 2)
            .reusedBuffer() // the library keeps its segments in a pool
            .parameters(Parameter.block())

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        val block = opening.parameter("block")
        val append = opening.append()
        return Operation { path, consumer ->
            val file = path.toPath()
            val sink = if (append) FileSystem.SYSTEM.appendingSink(file) else FileSystem.SYSTEM.sink(file)
            sink.buffer().use { out ->
                Pieces.write(payload, block, out::write, consumer)
            }
        }
    }
}
