package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import kotlinx.io.buffered
import kotlinx.io.files.Path
import kotlinx.io.files.SystemFileSystem
import kotlinx.io.readByteArray

/** `Source.readByteArray`: collects the file in segments, then copies them into one array. */
class KotlinxIoReadBytes : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/kotlinx-io-read-bytes", "kotlinx-io Source.readByteArray()",
            "kotlinx-io Source.readByteArray", Unit.FILE, 1)
            .newBuffer()
            .memoryPerFileByte(2.0)
            .computeOnly("java/consume-array")

    override fun open(opening: Opening) = Operation { path, consumer ->
        val content = SystemFileSystem.source(Path(path)).buffered().use { it.readByteArray() }
        consumer.accept(content, content.size)
    }
}
