package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit

/** What [ReadText] does besides I/O. */
class DecodeText : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/decode-text", "ByteArrayInputStream.reader().readText()",
            "reader().readText, in memory", Unit.FILE, 1)
            .computeOnlyRole()
            .sums(Sums.UTF16)
            .memoryPerFileByte(6.0)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { _, consumer ->
            consumer.accept(payload.inputStream().reader().use { it.readText() })
        }
    }
}
