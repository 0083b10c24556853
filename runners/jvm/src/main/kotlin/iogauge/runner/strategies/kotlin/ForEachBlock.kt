package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Strategy
import iogauge.runner.Unit
import java.io.File

/** [File.forEachBlock]: the library owns the block and makes it no smaller than 512 bytes. */
class ForEachBlock : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/for-each-block", "File.forEachBlock(blockSize) { }",
            "File.forEachBlock", Unit.BLOCK, 1)
            .newBuffer()
            .borrowed()
            .parameters(Parameter.block(512, "bytes handed to the action"))
            .computeOnly("java/consume-array")

    override fun open(opening: Opening): Operation {
        val block = opening.parameter("block")
        return Operation { path, consumer ->
            File(path).forEachBlock(block) { bytes, length -> consumer.accept(bytes, length) }
        }
    }
}
