package iogauge.runner.strategies.kotlin

import iogauge.runner.Consumer

/**
 * Writes pieces of [block] UTF-16 units. For libraries that encode each piece by itself, and half a surrogate pair as
 * `?`: a piece that would end inside a pair is one unit longer.
 *
 * @param text without single halves of pairs
 */
internal inline fun writeWholePairs(
    text: String,
    block: Int,
    consumer: Consumer,
    write: (start: Int, end: Int) -> Unit,
) {
    var start = 0
    while (start < text.length) {
        var end = start + minOf(block, text.length - start)
        if (text[end - 1].isHighSurrogate()) end++
        write(start, end)
        consumer.wrote((end - start).toLong())
        start = end
    }
}
