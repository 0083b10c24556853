package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import kotlinx.io.buffered
import kotlinx.io.files.Path
import kotlinx.io.files.SystemFileSystem
import kotlinx.io.readLine

/** `Source.readLine`: looks for the end of the line in segments and decodes what lies before it. */
class KotlinxIoReadLines : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-read-lines", "kotlinx-io Source.readLine()",
            "kotlinx-io Source.readLine", Unit.LINE, 2)
            .newBuffer()
            .sums(Sums.LINE_UTF16)
            .computeOnly("kotlin/kotlinx-io-decode-lines")

    override fun open(opening: Opening) = Operation { path, consumer ->
        SystemFileSystem.source(Path(path)).buffered().use { consumer.acceptLines(it::readLine) }
    }
}
