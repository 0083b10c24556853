package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Consume
import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import iogauge.runner.strategies.kotlin.writeWholePairs
import kotlinx.io.buffered
import kotlinx.io.discardingSink
import kotlinx.io.writeString

/** What [KotlinxIoWriteText] does besides I/O. */
class KotlinxIoEncode : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-encode", "kotlinx-io Sink.writeString(String), into nothing",
            "kotlinx-io writeString, to nothing", Unit.BLOCK, 2)
            .computeOnlyRole()
            .consumes(Consume.NONE)
            .sums(Sums.UTF16)
            .parameters(Parameter.blockOfChars())

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        val block = opening.parameter("block")
        return Operation { _, consumer ->
            discardingSink().buffered().use { out ->
                writeWholePairs(text, block, consumer) { start, end -> out.writeString(text, start, end) }
            }
        }
    }
}
