package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Mode
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.appendText]: encodes piece by piece, and each piece goes to the system. */
class AppendText : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/append-text", "File.appendText(String)",
            "File.appendText", Unit.FILE, 1)
            .newBuffer()
            .sums(Sums.UTF16)
            .modes(Mode.APPEND)
            .computeOnly("java/encode")

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        return Operation { path, consumer ->
            File(path).appendText(text)
            consumer.wrote(text.length.toLong())
        }
    }
}
