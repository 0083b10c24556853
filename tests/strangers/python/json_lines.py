import json
from typing import Any, Dict, Iterator


def iter_records(fname: str) -> Iterator[Dict[str, Any]]:
    with open(fname, "r", encoding="utf-8") as fin:
        for line in fin:
            line = line.strip()
            if not line:
                continue
            yield json.loads(line)


def load_all(fname: str):
    return list(iter_records(fname))
