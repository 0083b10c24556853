package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Mode
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.appendBytes]. */
class AppendBytes : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/append-bytes", "File.appendBytes(ByteArray)",
            "File.appendBytes", Unit.FILE, 1)
            .reusedBuffer()
            .modes(Mode.APPEND)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { path, consumer ->
            File(path).appendBytes(payload)
            consumer.wrote(payload.size.toLong())
        }
    }
}
