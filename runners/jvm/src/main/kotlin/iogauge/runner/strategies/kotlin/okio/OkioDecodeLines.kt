package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import okio.buffer
import okio.source

/** What [OkioReadLines] does besides I/O. */
class OkioDecodeLines : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-decode-lines", "okio BufferedSource.readUtf8Line(), in memory",
            "okio readUtf8Line, in memory", Unit.LINE, 2)
            .computeOnlyRole()
            .sums(Sums.LINE_UTF16)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { _, consumer ->
            payload.inputStream().source().buffer().use { consumer.acceptLines(it::readUtf8Line) }
        }
    }
}
