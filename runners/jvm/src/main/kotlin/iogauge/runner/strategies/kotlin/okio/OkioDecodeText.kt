package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import okio.buffer
import okio.source

/** What [OkioReadText] does besides I/O. */
class OkioDecodeText : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-decode-text", "okio BufferedSource.readUtf8(), in memory",
            "okio readUtf8, in memory", Unit.FILE, 1)
            .computeOnlyRole()
            .sums(Sums.UTF16)
            .memoryPerFileByte(6.0)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { _, consumer ->
            consumer.accept(payload.inputStream().source().buffer().use { it.readUtf8() })
        }
    }
}
