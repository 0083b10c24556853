"""Arrays of numpy, in interpreters that have it. The array's own methods sum."""

import os

from harness.strategy import LOOKED_AT, READS, Strategy


def _sums(numpy, consume):
    """As numpy's users add: the array's own loop."""
    step = {"none": None, "touch": 64, "sum": 1}[consume]
    if step is None:
        return lambda array: 0
    return lambda array: int(array[::step].sum(dtype=numpy.uint64))


def _fromfile(setup):
    import numpy

    add = _sums(numpy, setup.consume)

    def operation(path):
        array = numpy.fromfile(path, dtype=numpy.uint8)
        return len(array), add(array)

    return operation


def _memmap(setup):
    import numpy

    add = _sums(numpy, setup.consume)

    def operation(path):
        if not os.path.getsize(path):  # which memmap refuses
            return 0, 0
        array = numpy.memmap(path, dtype=numpy.uint8, mode="r")
        return len(array), add(array)  # the last reference to it unmaps the file

    return operation


STRATEGIES = [
    Strategy(
        name="python/numpy-fromfile",
        title="numpy.fromfile, the whole file as an array of bytes",
        call="numpy.fromfile",
        unit="file",
        consumes=READS,
        effort=1,
        memory_per_file_byte=1.0,
        package="numpy",
        open=_fromfile,
    ),
    Strategy(
        name="python/numpy-memmap",
        title="numpy.memmap of the whole file",
        call="numpy.memmap",
        unit="file",
        effort=1,
        package="numpy",
        open=_memmap,
        **LOOKED_AT,
    ),
]
