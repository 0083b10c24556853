import os
from concurrent.futures import ThreadPoolExecutor

CHUNK = 1 << 16


def count_chunk(args):
    path, offset = args
    with open(path, "rb") as f:
        f.seek(offset)
        return f.read(CHUNK).count(b"\n")


def count_lines_parallel(path):
    size = os.path.getsize(path)
    with ThreadPoolExecutor(max_workers=2) as pool:
        return sum(pool.map(count_chunk, [(path, o) for o in range(0, size, CHUNK)]))
