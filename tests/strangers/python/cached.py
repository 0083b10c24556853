from functools import lru_cache


@lru_cache(maxsize=None)
def load(path):
    with open(path) as f:
        return f.read().split("\n")
