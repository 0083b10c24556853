"""How files are opened to be written, and made durable."""

import os
from contextlib import contextmanager

MODES = ("truncate", "append")
SYNCS = {each: getattr(os, each) for each in ("fsync", "fdatasync") if hasattr(os, each)}
"""The calls that make a file durable, by the words of docs/wire.md."""
DURABILITIES = ("none", *SYNCS, *(("dsync",) if hasattr(os, "O_DSYNC") else ()))


def _with_dsync(path, flags):
    return os.open(path, flags | os.O_DSYNC, 0o666)


def opening(setup, kind, **more):
    """A function of a path that opens it for `with`, as the setup says. `kind` is "b" for bytes."""
    mode = ("a" if setup.mode == "append" else "w") + kind
    opener = _with_dsync if setup.durability == "dsync" else None
    sync = SYNCS.get(setup.durability)
    if sync is None:
        return lambda path: open(path, mode, opener=opener, **more)

    @contextmanager
    def synced(path):
        with open(path, mode, **more) as file:
            yield file
            file.flush()
            sync(file.fileno())

    return synced


def flags(setup):
    """The same for os.open."""
    ending = os.O_APPEND if setup.mode == "append" else os.O_TRUNC
    durable = os.O_DSYNC if setup.durability == "dsync" else 0
    return os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | ending | durable
