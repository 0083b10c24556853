from contextlib import contextmanager


@contextmanager
def open_log(path):
    f = open(path)
    try:
        yield f
    finally:
        f.close()
