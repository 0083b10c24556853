import time


def timeit(func):
    def wrapper(*args, **kwargs):
        start = time.time()
        result = func(*args, **kwargs)
        wrapper.last = time.time() - start
        return result

    return wrapper


@timeit
def load_lines(input_file):
    with open(input_file) as f:
        return [line.strip() for line in f]
