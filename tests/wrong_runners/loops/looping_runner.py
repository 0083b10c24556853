"""A runner with an event loop: a request costs it three reads. With the option LOOPS=uneven, it
costs a number of reads that is never the same for long.

Its strategy really reads, by calls of 4 KiB; its times are made up, so that an operation is long
and a sample has few.
"""

import itertools
import json
import os
import select

BLOCK, NS = 4096, 20_000_000


def declaration(name, role):
    return {
        "name": f"loops/{name}", "title": name, "call": name, "operation": "read", "unit": "block", "medium": "file", "sums": "byte",
        "consumes": ["none"], "parameters": {}, "effort": 1, "role": role,
        "needs": {"memory_per_file_byte": 0.0, "runtime": None}, "unavailable": None,
    }


STRATEGIES = [declaration("read", "contestant"), declaration("null", "null")]


def lines():
    """Each line of the input. The loop peeks, reads what is there, and finds nothing more: once, or
    as often as the option makes it look.
    """
    os.set_blocking(0, False)
    looks = itertools.cycle([1, 21, 41, 61] if os.environ.get("LOOPS") == "uneven" else [1])
    while True:
        select.select([0], [], [])
        line = os.read(0, 1)
        if not line:
            return
        while not line.endswith(b"\n"):
            select.select([0], [], [])
            line += os.read(0, 1 << 16)
        for _ in range(next(looks)):
            try:
                os.read(0, 1)
            except BlockingIOError:
                pass
        yield line


def length_of(path):
    length, fd = 0, os.open(path, os.O_RDONLY)
    while data := os.read(fd, BLOCK):
        length += len(data)
    os.close(fd)
    return length


def main():
    channel = os.dup(1)
    os.dup2(2, 1)
    opened = None
    for line in lines():
        request = json.loads(line)
        verb = request["verb"]
        answer = {"verb": verb}
        if verb == "hello":
            answer |= {"wire": 3, "runner": "loops", "runtime": "loops-1.0", "name": "Loops", "version": "1.0", "flags": [], "clock_resolution_ns": 1}
        elif verb == "list":
            answer["strategies"] = STRATEGIES
        elif verb == "open":
            opened = request["strategy"]
        elif verb == "sample":
            operations, spans, (path,) = request["operations"], request["spans"], request["paths"]
            null = opened == "loops/null"
            counts = [0 if null else sum(length_of(path) for _ in range(operations)) for _ in range(spans)]
            answer |= {"ns": [operations * (1 if null else NS)] * spans, "operations": [operations] * spans, "count": counts, "sum": None, "counters": {}}
        os.write(channel, (json.dumps(answer) + "\n").encode())


if __name__ == "__main__":
    main()
