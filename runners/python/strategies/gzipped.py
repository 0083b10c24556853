"""Files that gzip packed: their data, unpacked while they are read."""

from harness.consume import BYTE_LINES, BYTES, LINES
from harness.strategy import TEXTS, Strategy, piece

_GZIP = 31  # zlib's largest window, with the header and the trailer of gzip


def _whole(setup):
    import gzip

    consume = BYTES[setup.consume]

    def operation(path):
        with gzip.open(path) as file:
            data = file.read()
        return len(data), consume(data, 0)

    return operation


def _blocks(setup):
    import gzip

    consume, block = BYTES[setup.consume], setup.parameters["block"]

    def operation(path):
        offset = total = 0
        with gzip.open(path) as file:
            while data := file.read(block):
                total += consume(data, offset)
                offset += len(data)
        return offset, total

    return operation


def _unpacking(setup):
    from zlib import decompressobj

    consume, block = BYTES[setup.consume], setup.parameters["block"]

    def operation(path):
        offset = total = 0
        unpacker = decompressobj(_GZIP)
        with open(path, "rb") as file:
            while packed := file.read(block):
                while packed:
                    if unpacker.eof:  # another member begins
                        unpacker = decompressobj(_GZIP)
                    data = unpacker.decompress(packed)
                    total += consume(data, offset)
                    offset += len(data)
                    packed = unpacker.unused_data
        if not unpacker.eof:
            raise EOFError("the file ends before its gzip stream does")
        return offset, total

    return operation


def _lines(consumers, *mode, **more):
    def _open(setup):
        import gzip

        consume = consumers[setup.consume]

        def operation(path):
            with gzip.open(path, *mode, **more) as lines:
                return consume(lines)

        return operation

    return _open


def _strategy(name, call, title, open, **more):
    compute_only = "python/consume-bytes"
    given = {"compute_only": compute_only, "format": "gzip", "package": "zlib", **more}
    given["trips_on"] = ("trailing-data", *given.get("trips_on", ()))
    return Strategy(name=name, title=title, call=call, open=open, **given)


STRATEGIES = [
    _strategy(
        "python/gzip-read",
        "gzip.open().read()",
        "gzip.open(path).read(), all at once",
        _whole,
        unit="file",
        effort=1,
        memory_per_file_byte=2.0,  # its parts and the whole
    ),
    _strategy(
        "python/gzip-read-blocks",
        "gzip.open().read(n)",
        "gzip.open(path).read(n)",
        _blocks,
        parameters=piece("bytes that read is asked for, unpacked"),
    ),
    _strategy(
        "python/zlib-decompress",
        "zlib.decompressobj",
        "zlib.decompressobj over open(path, 'rb').read(n)",
        _unpacking,
        parameters=piece("bytes that read is asked for, still packed"),
        effort=3,
        trips_on=("trailing-zeros",),
    ),
    _strategy(
        "python/gzip-lines",
        "for line in gzip.open('rt')",
        "for line in gzip.open(path, 'rt', encoding='utf-8')",
        _lines(LINES, "rt", encoding="utf-8"),
        unit="line",
        sums="line-codepoint",
        consumes=TEXTS,
        effort=1,
        compute_only="python/decode-lines",
        trips_on=("lone-cr",),
    ),
    _strategy(
        "python/gzip-byte-lines",
        "for line in gzip.open('rb')",
        "for line in gzip.open(path, 'rb')",
        _lines(BYTE_LINES, "rb"),
        unit="line",
        sums="line-byte",
        consumes=TEXTS,
        effort=1,
        compute_only="python/split-lines",
        trips_on=("final-cr",),
    ),
]
