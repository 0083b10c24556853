package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** `InputStream.copyTo`: what [File.copyTo] does with two streams. */
class StreamCopyTo : Strategy {

    override fun declaration(): Declaration =
        Declaration.copy("kotlin/stream-copy-to", "File.inputStream().copyTo(outputStream, buffer)",
            "inputStream().copyTo", Unit.FILE, 1)
            .newBuffer()
            .parameters(Parameter.buffer())

    override fun open(opening: Opening): Operation {
        val source = opening.source().toFile()
        val buffer = opening.parameter("buffer")
        return Operation { path, consumer ->
            source.inputStream().use { from ->
                File(path).outputStream().use { to -> consumer.wrote(from.copyTo(to, buffer)) }
            }
        }
    }
}
