package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import okio.FileSystem
import okio.Path.Companion.toPath

/** `BufferedSource.readUtf8Line`: looks for the end of the line in segments and decodes what lies before it. */
class OkioReadLines : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-read-lines", "okio BufferedSource.readUtf8Line()",
            "okio BufferedSource.readUtf8Line", Unit.LINE, 2)
            .newBuffer()
            .sums(Sums.LINE_UTF16)
            .computeOnly("kotlin/okio-decode-lines")

    override fun open(opening: Opening) = Operation { path, consumer ->
        FileSystem.SYSTEM.read(path.toPath()) { consumer.acceptLines(::readUtf8Line) }
    }
}
