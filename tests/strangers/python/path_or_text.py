import os
from pathlib import Path
from typing import Union


def tail(log: Union[str, "os.PathLike[str]"], n: int = 10):
    return Path(log).read_bytes().splitlines()[-n:]


def first_columns(p: "Path | None") -> "list[str]":
    return [line.partition(" ")[0] for line in p.open()]
