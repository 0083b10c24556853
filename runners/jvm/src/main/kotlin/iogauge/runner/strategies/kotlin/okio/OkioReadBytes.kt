package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import okio.FileSystem
import okio.Path.Companion.toPath

/** `BufferedSource.readByteArray`: collects the file in segments, then copies them into one array. */
class OkioReadBytes : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-read-bytes", "okio BufferedSource.readByteArray()",
            "okio BufferedSource.readByteArray", Unit.FILE, 1)
            .newBuffer()
            .memoryPerFileByte(2.0)
            .computeOnly("java/consume-array")

    override fun open(opening: Opening) = Operation { path, consumer ->
        val content = FileSystem.SYSTEM.read(path.toPath()) { readByteArray() }
        consumer.accept(content, content.size)
    }
}
