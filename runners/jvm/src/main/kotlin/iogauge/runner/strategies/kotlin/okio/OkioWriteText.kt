package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import iogauge.runner.strategies.kotlin.writeWholePairs
import okio.FileSystem
import okio.Path.Companion.toPath
import okio.buffer

/** `BufferedSink.writeUtf8`: encodes into segments of 8 KiB, each of which goes to the system when it is full. */
class OkioWriteText : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/okio-write-text", "okio BufferedSink.writeUtf8(String)",
            "okio BufferedSink.writeUtf8", Unit.BLOCK, 2)
            .reusedBuffer() // the library keeps its segments in a pool
            .sums(Sums.UTF16)
            .parameters(Parameter.blockOfChars())
            .computeOnly("kotlin/okio-encode")

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        val block = opening.parameter("block")
        val append = opening.append()
        return Operation { path, consumer ->
            val file = path.toPath()
            val sink = if (append) FileSystem.SYSTEM.appendingSink(file) else FileSystem.SYSTEM.sink(file)
            sink.buffer().use { out ->
                writeWholePairs(text, block, consumer) { start, end -> out.writeUtf8(text, start, end) }
            }
        }
    }
}
