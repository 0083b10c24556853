package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.readText]: decodes block by block into a buffer that grows, and copies that into the text. */
class ReadText : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/read-text", "File.readText()",
            "File.readText", Unit.FILE, 1)
            .newBuffer()
            .sums(Sums.UTF16)
            .memoryPerFileByte(6.0)
            .computeOnly("kotlin/decode-text")

    override fun open(opening: Opening) = Operation { path, consumer ->
        consumer.accept(File(path).readText())
    }
}
