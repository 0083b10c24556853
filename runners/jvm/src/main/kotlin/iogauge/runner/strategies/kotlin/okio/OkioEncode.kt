package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Consume
import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import iogauge.runner.strategies.kotlin.writeWholePairs
import okio.blackholeSink
import okio.buffer

/** What [OkioWriteText] does besides I/O. */
class OkioEncode : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-encode", "okio BufferedSink.writeUtf8(String), into nothing",
            "okio writeUtf8, to nothing", Unit.BLOCK, 2)
            .computeOnlyRole()
            .consumes(Consume.NONE)
            .sums(Sums.UTF16)
            .parameters(Parameter.blockOfChars())

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        val block = opening.parameter("block")
        return Operation { _, consumer ->
            blackholeSink().buffer().use { out ->
                writeWholePairs(text, block, consumer) { start, end -> out.writeUtf8(text, start, end) }
            }
        }
    }
}
