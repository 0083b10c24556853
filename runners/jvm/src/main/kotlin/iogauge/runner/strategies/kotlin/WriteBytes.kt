package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Mode
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.writeBytes]. */
class WriteBytes : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/write-bytes", "File.writeBytes(ByteArray)",
            "File.writeBytes", Unit.FILE, 1)
            .reusedBuffer()
            .modes(Mode.TRUNCATE)

    override fun open(opening: Opening): Operation {
        val payload = opening.payload()
        return Operation { path, consumer ->
            File(path).writeBytes(payload)
            consumer.wrote(payload.size.toLong())
        }
    }
}
