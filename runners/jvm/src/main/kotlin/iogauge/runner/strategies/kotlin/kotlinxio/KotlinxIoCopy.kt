package iogauge.runner.strategies.kotlin.kotlinxio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import kotlinx.io.buffered
import kotlinx.io.files.Path
import kotlinx.io.files.SystemFileSystem

/** kotlinx-io's `Sink.transferFrom`: in segments of 8 KiB. */
class KotlinxIoCopy : Strategy {

    override fun declaration(): Declaration =
        Declaration.copy("kotlin/kotlinx-io-copy", "kotlinx-io Sink.transferFrom(RawSource)",
            "kotlinx-io Sink.transferFrom", Unit.FILE, 1)
            .reusedBuffer()

    override fun open(opening: Opening): Operation {
        val source = Path(opening.source().toString())
        return Operation { path, consumer ->
            SystemFileSystem.source(source).use { from ->
                SystemFileSystem.sink(Path(path)).buffered().use { to -> consumer.wrote(to.transferFrom(from)) }
            }
        }
    }
}
