package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.RandomAccessFile

/** [RandomAccessFile.seek] and [RandomAccessFile.readFully] into one array: Kotlin has nothing of its own for this. */
class RandomAccessFileRandom : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/random-access-file-random", "RandomAccessFile, seek and readFully(ByteArray)",
            "RandomAccessFile.seek, readFully", Unit.BLOCK, 2)
            .reusedBuffer()
            .random()
            .parameters(Parameter.block())
            .computeOnly("java/consume-array")

    override fun open(opening: Opening): Operation {
        val offsets = opening.offsets()
        val block = ByteArray(opening.parameter("block"))
        return Operation { path, consumer ->
            RandomAccessFile(path, "r").use { file ->
                for (offset in offsets) {
                    file.seek(offset)
                    file.readFully(block)
                    consumer.at(offset)
                    consumer.accept(block, block.size)
                }
            }
        }
    }
}
