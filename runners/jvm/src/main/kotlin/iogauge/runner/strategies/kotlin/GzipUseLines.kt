package iogauge.runner.strategies.kotlin

import iogauge.runner.Declaration
import iogauge.runner.Opening
import iogauge.runner.Operation
import iogauge.runner.Strategy
import iogauge.runner.Sums
import iogauge.runner.Unit
import java.io.File
import java.util.zip.GZIPInputStream

/** [useLines] over a [GZIPInputStream], whose buffer is of 512 bytes. */
class GzipUseLines : Strategy {

    override fun declaration(): Declaration =
        Declaration.read("kotlin/gzip-use-lines", "GZIPInputStream(inputStream()).bufferedReader()",
            "GZIPInputStream, useLines", Unit.LINE, 1)
            .newBuffer()
            .gzip()
            .sums(Sums.LINE_UTF16)
            .tripsOn("lone-cr")
            .computeOnly("java/decode-line")

    override fun open(opening: Opening) = Operation { path, consumer ->
        File(path).inputStream().use { file ->
            GZIPInputStream(file).bufferedReader().useLines { lines -> lines.forEach { consumer.acceptLine(it) } }
        }
    }
}
