package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import iogauge.runner.strategies.kotlin.writeWholePairs
import kotlinx.io.buffered
import kotlinx.io.files.Path
import kotlinx.io.files.SystemFileSystem
import kotlinx.io.writeString

/** `Sink.writeString`: encodes into segments of 8 KiB, each of which goes to the system when it is full. */
class KotlinxIoWriteText : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/kotlinx-io-write-text", "kotlinx-io Sink.writeString(String)",
            "kotlinx-io Sink.writeString", Unit.BLOCK, 2)
            .reusedBuffer() // the library keeps its segments in a pool
            .sums(Sums.UTF16)
            .parameters(Parameter.blockOfChars())
            .computeOnly("kotlin/kotlinx-io-encode")

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        val block = opening.parameter("block")
        val append = opening.append()
        return Operation { path, consumer ->
            SystemFileSystem.sink(Path(path), append).buffered().use { out ->
                writeWholePairs(text, block, consumer) { start, end -> out.writeString(text, start, end) }
            }
        }
    }
}
