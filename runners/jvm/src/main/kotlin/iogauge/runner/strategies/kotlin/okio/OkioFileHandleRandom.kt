package iogauge.runner.strategies.kotlin.okio

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.EOFException
import okio.FileSystem
import okio.Path.Companion.toPath

/** `FileHandle.read` at positions: the system call fills the program's array. */
class OkioFileHandleRandom : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/okio-file-handle-random", "okio FileHandle.read(position, ByteArray)",
            "okio FileHandle.read", Unit.BLOCK, 2)
            .reusedBuffer()
            .random()
            .parameters(Parameter.block())
            .computeOnly("java/consume-array")

    override fun open(opening: Opening): Operation {
        val offsets = opening.offsets()
        val block = ByteArray(opening.parameter("block"))
        return Operation { path, consumer ->
            FileSystem.SYSTEM.openReadOnly(path.toPath()).use { file ->
                for (offset in offsets) {
                    var length = 0
                    while (length < block.size) {
                        val count = file.read(offset + length, block, length, block.size - length)
                        if (count < 0) throw EOFException("no block of ${block.size} bytes lies at $offset")
                        length += count
                    }
                    consumer.at(offset)
                    consumer.accept(block, block.size)
                }
            }
        }
    }
}
