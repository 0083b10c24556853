package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.io.readLine

/** What [KotlinxIoReadLines] does besides I/O. */
class KotlinxIoDecodeLines : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-decode-lines", "kotlinx-io Source.readLine(), in memory",
            "kotlinx-io readLine, in memory", Unit.LINE, 2)
            .computeOnlyRole()
            .sums(Sums.LINE_UTF16)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { _, consumer ->
            payload.inputStream().asSource().buffered().use { consumer.acceptLines(it::readLine) }
        }
    }
}
