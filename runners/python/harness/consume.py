"""The only loops over data. Each takes a piece of a file and its offset, and returns a sum."""

try:
    from zlib import adler32
except ImportError:  # an interpreter that was built without it
    adler32 = None

_LINE = 64
_EXACT = 256  # so many bytes add up to less than 65521, from where on adler32 is not a sum


def _none(piece, offset):
    return 0


def _touch(piece, offset):
    return sum(piece[-offset % _LINE :: _LINE])


def byte_sum(piece):
    """The sum of all bytes. The lower half of an Adler-32 is one: some 7 times as fast as `sum`."""
    if adler32 is None:
        return sum(piece)
    if len(piece) <= _EXACT:
        return adler32(piece, 0) & 0xFFFF
    view = memoryview(piece)
    sums = [adler32(view[at : at + _EXACT], 0) & 0xFFFF for at in range(0, len(view), _EXACT)]
    return sum(sums)


def _sum(piece, offset):
    return byte_sum(piece)


BYTES = {"none": _none, "touch": _touch, "sum": _sum}
"""For bytes, a bytearray, a memoryview of one of these or of a mapping."""


def _text_sum(text):
    if text.isascii():
        return byte_sum(text.encode("ascii"))
    units = text.encode("utf-32-le", "surrogatepass")
    return sum(byte_sum(units[place::4]) << 8 * place for place in range(3))


TEXT = {"none": lambda text: 0, "sum": _text_sum}
"""For a str: the sum of its code points."""


def _count_lines(lines):
    count = 0
    for _ in lines:
        count += 1
    return count, 0


def _measure_lines(lines):
    count = total = 0
    for line in lines:
        count += 1
        total += len(line.removesuffix("\n").removesuffix("\r"))
    return count, total


def _measure_byte_lines(lines):
    count = total = 0
    for line in lines:
        count += 1
        total += len(line.removesuffix(b"\n").removesuffix(b"\r"))
    return count, total


LINES = {"none": _count_lines, "sum": _measure_lines}
"""For what gives lines as str, with their ends or without: their number, and the sum of their
lengths without the ends."""

BYTE_LINES = {"none": _count_lines, "sum": _measure_byte_lines}
"""The same for lines as bytes."""


def pieces(data, size):
    """Slices of so many bytes or characters; the last may be shorter."""
    return [data[at : at + size] for at in range(0, len(data), size)]
