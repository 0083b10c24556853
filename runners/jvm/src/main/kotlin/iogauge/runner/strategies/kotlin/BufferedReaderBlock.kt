package iogauge.runner.strategies.kotlin

import iogauge.runner.Blocks
import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File

/** [File.bufferedReader] and blocks of characters: one that is no smaller than the reader's buffer passes it by. */
class BufferedReaderBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/buffered-reader", "File.bufferedReader(), read(CharArray)",
            "File.bufferedReader().read", Unit.BLOCK, 2)
            .newBuffer()
            .sums(Sums.UTF16)
            .parameters(Parameter.bufferOfChars(), Parameter.blockOfChars())
            .computeOnly("java/decode-block-buffered")

    override fun open(opening: Opening): Operation {
        val buffer = opening.parameter("buffer")
        val block = CharArray(opening.parameter("block"))
        return Operation { path, consumer ->
            File(path).bufferedReader(bufferSize = buffer).use { Blocks.read(it::read, block, consumer) }
        }
    }
}
