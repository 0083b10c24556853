import multiprocessing as mp
import os


def _work(job):
    path, start, end = job
    with open(path, "rb") as f:
        f.seek(start)
        return f.read(end - start).count(b"ERROR")


def count_parallel(file_path):
    size = os.path.getsize(file_path)
    half = size // 2
    with mp.Pool(2) as pool:
        return sum(pool.map(_work, [(file_path, 0, half), (file_path, half, size)]))
