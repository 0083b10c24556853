"""What a function of the user's returned: of which kind it is, and how it is consumed inside the
timed span, as what every other way reads is.
"""

import inspect
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from mmap import mmap

from harness import results
from harness.consume import BYTE_LINES, BYTES, LINES, TEXT

KINDS = ("bytes", "map", "pieces", "text", "lines", "byte-lines", "anything")
_MOST = 1000  # items that are looked at: of two lines nobody makes more


def settled(returned):
    """What came of it where it is asynchronous: the result of a coroutine or of a future. An
    asynchronous generator is run to its end.
    """
    if not is_asynchronous(returned):
        return returned
    if _is_future(returned):
        return settled(returned.result())
    import asyncio  # takes a while, which nobody else needs to wait for

    if inspect.iscoroutine(returned):
        return settled(asyncio.run(returned))
    return asyncio.run(_to_the_end(returned))


async def _to_the_end(items):
    async for _ in items:
        pass


def is_asynchronous(returned):
    return inspect.iscoroutine(returned) or inspect.isasyncgen(returned) or _is_future(returned)


def _is_future(returned):
    """Whether it is what an executor gives for work that another thread or process does."""
    return callable(getattr(type(returned), "add_done_callback", None))


def kind_of(returned):
    """Of which kind it is. What comes bit by bit is run."""
    if isinstance(returned, mmap):
        return "map"
    if _is_bytes(returned):
        return "bytes"
    if isinstance(returned, str):
        return "text"
    items = map(_item, islice(returned, _MOST)) if _is_several(returned) else ()
    kinds = list(items)
    if len({*kinds}) != 1:
        return "anything"
    if kinds[0] == "bytes":
        return "byte-lines" if len(kinds) > 1 else "pieces"
    return "lines" if kinds[0] == "text" else "anything"


def _item(thing):
    """Looked at while it is there: a piece may lie in memory that the next one is read into."""
    return "bytes" if _is_bytes(thing) else "text" if isinstance(thing, str) else "anything"


def _is_bytes(thing):
    try:
        return memoryview(thing).ndim > 0  # a number of numpy has none
    except TypeError:
        return False


def _is_several(thing):
    """Whether it gives one thing after the other, as lines come; a table or a set does not."""
    whole = isinstance(thing, (str, Mapping, Set)) or _is_bytes(thing) or hasattr(thing, "shape")
    return isinstance(thing, Iterable) and not whole


def _of_bytes(consume):
    over = BYTES[consume]

    def take(data):
        if type(data) is not bytes:
            data = memoryview(data).cast("B")
        return len(data), over(data, 0)

    return take


def _of_pieces(consume):
    over = BYTES[consume]

    def take(pieces):
        offset = total = 0
        for data in pieces:
            total += over(data, offset)
            offset += len(data)
        return offset, total

    return take


def _of_text(consume):
    over = TEXT[consume]
    return lambda text: (len(text), over(text))


class _OfAnything:
    """What it made of the file stays its own; a generator is run to its end. A small result is kept
    to be compared; a large one would be in the way of the next operation.
    """

    def __init__(self, consume):
        self._last = None

    def __call__(self, returned):
        if isinstance(returned, Iterator):
            deque(returned, maxlen=0)
        self._last = returned if results.is_small(returned) else None
        return 0, 0

    def number(self):
        return None if self._last is None else results.number_of(self._last)


CONSUMERS = {
    "bytes": _of_bytes,
    "map": _of_bytes,
    "pieces": _of_pieces,
    "text": _of_text,
    "lines": LINES.__getitem__,
    "byte-lines": BYTE_LINES.__getitem__,
    "anything": _OfAnything,
}
"""By kind and how it is consumed: a function of what was returned that gives its count and sum."""
