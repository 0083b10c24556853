package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Pieces
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File
import java.io.FileOutputStream

/** [File.bufferedWriter]; that always empties the file, so appending goes the way that is left: through the stream. */
class BufferedWriterBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.write("kotlin/buffered-writer", "File.bufferedWriter(), write(String)",
            "File.bufferedWriter().write", Unit.BLOCK, 2)
            .newBuffer()
            .sums(Sums.UTF16)
            .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars())
            .computeOnly("java/encode-buffered")

    override fun open(opening: Opening): Operation {
        val text = opening.text()
        val buffer = opening.parameter("buffer")
        val block = opening.parameter("block")
        val append = opening.append()
        return Operation { path, consumer ->
            val writer =
                if (append) FileOutputStream(path, true).writer().buffered(buffer)
                else File(path).bufferedWriter(bufferSize = buffer)
            writer.use { Pieces.write(text, block, it::write, consumer) }
        }
    }
}
