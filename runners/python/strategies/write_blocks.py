"""Bytes written in pieces, to file objects and to descriptors."""

import os

from harness.consume import pieces
from harness.strategy import Strategy, buffer, piece
from harness.writing import DURABILITIES, MODES, SYNCS, flags, opening


def _writing(buffering):
    """`buffering` gives the argument of that name from the parameters."""

    def _open(setup):
        opened = opening(setup, "b", buffering=buffering(setup.parameters))
        data, block = memoryview(setup.payload), setup.parameters["block"]
        length = len(data)

        def operation(path):
            done = 0
            with opened(path) as file:
                while done < length:
                    done += file.write(data[done : done + block])
            return length, 0

        return operation

    return _open


def _writelines(setup):
    opened = opening(setup, "b")
    parts, length = pieces(setup.payload, setup.parameters["block"]), len(setup.payload)

    def operation(path):
        with opened(path) as file:
            file.writelines(parts)
        return length, 0

    return operation


def _os_writing(before=None, after=None, without=0):
    """With what is done to the descriptor and the length before and after the writing, and without
    some of the usual flags.
    """

    def _open(setup):
        data, block = memoryview(setup.payload), setup.parameters["block"]
        length, sync = len(data), SYNCS.get(setup.durability)
        how = flags(setup) & ~without

        def operation(path):
            done = 0
            file = os.open(path, how, 0o666)
            try:
                if before and length:
                    before(file, 0, length)
                while done < length:
                    done += os.write(file, data[done : done + block])
                if after:
                    after(file, length)
                if sync:
                    sync(file)
            finally:
                os.close(file)
            return length, 0

        return operation

    return _open


def _strategy(
    name, call, title, open, more=None, says="bytes of the pieces given to write", **others
):
    return Strategy(
        name=name,
        title=title,
        call=call,
        operation="write",
        consumes=("none",),
        parameters={**piece(says), **(more or {})},
        open=open,
        **{"modes": MODES, "durabilities": DURABILITIES, **others},
    )


STRATEGIES = [
    _strategy(
        "python/file-write",
        "open('wb').write",
        "open(path, 'wb').write(piece)",
        _writing(lambda parameters: -1),
    ),
    _strategy(
        "python/buffered-write",
        "open('wb', buffering=N).write",
        "open(path, 'wb', buffering=N).write(piece)",
        _writing(lambda parameters: parameters["buffer"]),
        buffer(),
    ),
    _strategy(
        "python/raw-write",
        "open('wb', buffering=0).write",
        "open(path, 'wb', buffering=0).write(piece)",
        _writing(lambda parameters: 0),
        buffer="reused",
    ),
    _strategy(
        "python/writelines",
        "open('wb').writelines",
        "open(path, 'wb').writelines(pieces)",
        _writelines,
        says="bytes of the pieces in the list given to writelines",
    ),
    _strategy("python/os-write", "os.write", "os.open, os.write", _os_writing(), buffer="reused"),
    _strategy(
        "python/os-write-preallocated",
        "os.write after posix_fallocate",
        "os.open, os.posix_fallocate, os.write",
        _os_writing(before=os.posix_fallocate),
        buffer="reused",
        modes=("truncate",),
        effort=3,
    ),
    _strategy(
        "python/os-overwrite",
        "os.write, overwriting",
        "os.write over what is there, then os.ftruncate",
        _os_writing(after=os.ftruncate, without=os.O_TRUNC),
        buffer="reused",
        modes=("truncate",),
        durabilities=("none", *SYNCS),  # O_DSYNC says nothing of the end that is cut off
        effort=3,
    ),
]
