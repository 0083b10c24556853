package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.io.readString

/** What [KotlinxIoReadText] does besides I/O. */
class KotlinxIoDecodeText : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-decode-text", "kotlinx-io Source.readString(), in memory",
            "kotlinx-io readString, in memory", Unit.FILE, 1)
            .computeOnlyRole()
            .sums(Sums.UTF16)
            .memoryPerFileByte(6.0)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { _, consumer ->
            consumer.accept(payload.inputStream().asSource().buffered().use { it.readString() })
        }
    }
}
