package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import okio.FileSystem
import okio.Path.Companion.toPath
import okio.buffer

/** `BufferedSink.writeAll` of a file: in segments of 8 KiB. `FileSystem.copy` does the same, and does not tell how much. */
class OkioCopy : Strategy {

    override fun declaration(): Declaration =
        Declaration.copy("kotlin/okio-copy", "okio BufferedSink.writeAll(Source)",
            "okio BufferedSink.writeAll", Unit.FILE, 1)
            .reusedBuffer()

    override fun open(opening: Opening): Operation {
        val source = opening.source().toString().toPath()
        return Operation { path, consumer ->
            FileSystem.SYSTEM.source(source).use { from ->
                FileSystem.SYSTEM.sink(path.toPath()).buffer().use { to -> consumer.wrote(to.writeAll(from)) }
            }
        }
    }
}
