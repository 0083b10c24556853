"""One file copied into another one."""

import os
import shutil

from harness.strategy import Strategy, piece


def _copyfile(setup):
    source = setup.payload

    def operation(path):
        shutil.copyfile(source, path)
        return os.path.getsize(path), 0

    return operation


def _copyfileobj(setup):
    source, block = setup.payload, setup.parameters["block"]

    def operation(path):
        with open(source, "rb") as data, open(path, "wb") as file:
            shutil.copyfileobj(data, file, block)
            return data.tell(), 0

    return operation


def _blocks(setup):
    source = setup.payload
    block = memoryview(bytearray(setup.parameters["block"]))
    size = len(block)

    def operation(path):
        count = 0
        with open(source, "rb", buffering=0) as data, open(path, "wb", buffering=0) as file:
            while n := data.readinto(block):
                done = 0
                while done < n:
                    done += file.write(block[done:n] if done or n < size else block)
                count += n
        return count, 0

    return operation


def _by_kernel(call):
    def _open(setup):
        source = setup.payload

        def operation(path):
            count = 0
            with open(source, "rb", buffering=0) as data, open(path, "wb", buffering=0) as file:
                while n := call(data.fileno(), file.fileno(), _MOST):
                    count += n
            return count, 0

        return operation

    return _open


_MOST = 1 << 30  # bytes that one call is asked to copy


def _strategy(name, call, title, open, **more):
    return Strategy(
        name=name,
        title=title,
        call=call,
        operation="copy",
        consumes=("none",),
        modes=("truncate",),
        durabilities=("none",),
        open=open,
        **{"unit": "file", **more},
    )


STRATEGIES = [
    _strategy(
        "python/copyfile", "shutil.copyfile", "shutil.copyfile", _copyfile, buffer="none", effort=1
    ),
    _strategy(
        "python/copyfileobj",
        "shutil.copyfileobj",
        "shutil.copyfileobj(source, file, length)",
        _copyfileobj,
        unit="block",
        parameters=piece("bytes copied at a time (length)"),
    ),
    _strategy(
        "python/copy-blocks",
        "readinto and write",
        "readinto and write, unbuffered, buffer reused",
        _blocks,
        unit="block",
        parameters=piece("bytes of the bytearray given to both"),
        buffer="reused",
        effort=3,
    ),
    _strategy(
        "python/sendfile",
        "os.sendfile",
        "os.sendfile",
        _by_kernel(lambda source, file, most: os.sendfile(file, source, None, most)),
        buffer="none",
        effort=3,
    ),
    _strategy(
        "python/copy-file-range",
        "os.copy_file_range",
        "os.copy_file_range",
        _by_kernel(lambda source, file, most: os.copy_file_range(source, file, most)),
        function="copy_file_range",
        buffer="none",
        effort=3,
    ),
]
