package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Durability
import iogauge.runner.Mode
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Parameter
import iogauge.runner.Pieces
import iogauge.runner.Strategy
import iogauge.runner.Unit
import iogauge.runner.strategies.write.Overwritten
import iogauge.runner.strategies.write.RandomAccessFiles
import java.io.RandomAccessFile

/** [RandomAccessFile.write] over what is there, then [RandomAccessFile.setLength] where it was longer. */
class RandomAccessFileOverwrite : Strategy {

    override fun declaration(): Declaration =
        declared("kotlin/random-access-file-overwrite", "RandomAccessFile, write over what is there, then setLength",
            "RandomAccessFile, overwriting", 3)

    override fun open(opening: Opening): Operation =
        writing(opening, after = { file, length -> Overwritten.cut(file, length, opening.durability()) })
}

/**
 * [RandomAccessFile.setLength] to the final size, then [RandomAccessFile.write]. The file has its size then, but no
 * blocks.
 */
class RandomAccessFileSetLength : Strategy {

    override fun declaration(): Declaration =
        declared("kotlin/random-access-file-set-length", "RandomAccessFile, setLength and write(ByteArray)",
            "RandomAccessFile.setLength, write", 2)

    override fun open(opening: Opening): Operation =
        writing(opening, before = { file, length ->
            file.setLength(0)
            file.setLength(length)
        })
}

private fun declared(name: String, title: String, call: String, effort: Int): Declaration =
    Declaration.write(name, title, call, Unit.BLOCK, effort)
        .reusedBuffer()
        .parameters(Parameter.block())
        .modes(Mode.TRUNCATE)
        .durabilities(Durability.NONE, Durability.FSYNC, Durability.FDATASYNC, Durability.DSYNC)

/** The operation, with what is done to the file's length before and after. */
private fun writing(
    opening: Opening,
    before: (RandomAccessFile, Long) -> kotlin.Unit = { _, _ -> },
    after: (RandomAccessFile, Long) -> kotlin.Unit = { _, _ -> },
): Operation {
    val payload = opening.payload()
    val block = opening.parameter("block")
    val durability = opening.durability()
    val mode = RandomAccessFiles.mode(opening)
    return Operation { path, consumer ->
        RandomAccessFile(path, mode).use { file ->
            before(file, payload.size.toLong())
            Pieces.write(payload, block, file::write, consumer)
            after(file, payload.size.toLong())
            durability.finish(file)
        }
    }
}
