package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.readBytes]: less than 2 GiB. */
class ReadBytes : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/read-bytes", "File.readBytes()",
            "File.readBytes", Unit.FILE, 1)
            .newBuffer()
            .memoryPerFileByte(1.0)
            .computeOnly("java/consume-array")

    override fun open(opening: Opening) = Operation { path, consumer ->
        val content = File(path).readBytes()
        consumer.accept(content, content.size)
    }
}
