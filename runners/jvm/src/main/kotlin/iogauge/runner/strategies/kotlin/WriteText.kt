package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Mode
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.writeText]: encodes piece by piece, and each piece goes to the system. */
class WriteText : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/write-text", "File.writeText(String)",
            "File.writeText", Unit.FILE, 1)
            .newBuffer()
            .sums(Sums.UTF16)
            .modes(Mode.TRUNCATE)
            .computeOnly("java/encode")

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        return Operation { path, consumer ->
            File(path).writeText(text)
            consumer.wrote(text.length.toLong())
        }
    }
}
