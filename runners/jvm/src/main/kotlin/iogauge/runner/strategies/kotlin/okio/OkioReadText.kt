package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import okio.FileSystem
import okio.Path.Companion.toPath

/** `BufferedSource.readUtf8`: collects the file in segments, copies them into one array, and decodes that. */
class OkioReadText : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-read-text", "okio BufferedSource.readUtf8()",
            "okio BufferedSource.readUtf8", Unit.FILE, 1)
            .newBuffer()
            .sums(Sums.UTF16)
            .memoryPerFileByte(6.0)
            .computeOnly("kotlin/okio-decode-text")

    override fun open(opening: Opening) = Operation { path, consumer ->
        consumer.accept(FileSystem.SYSTEM.read(path.toPath()) { readUtf8() })
    }
}
