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
import kotlinx.io.readString

/** `Source.readString`: collects the file in segments, copies them into one array, and decodes that. */
class KotlinxIoReadText : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-read-text", "kotlinx-io Source.readString()",
            "kotlinx-io Source.readString", Unit.FILE, 1)
            .newBuffer()
            .sums(Sums.UTF16)
            .memoryPerFileByte(6.0)
            .computeOnly("kotlin/kotlinx-io-decode-text")

    override fun open(opening: Opening) = Operation { path, consumer ->
        consumer.accept(SystemFileSystem.source(Path(path)).buffered().use { it.readString() })
    }
}
