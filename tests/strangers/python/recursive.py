import os


def walk(folder):
    total = 0
    for entry in os.scandir(folder):
        if entry.is_dir():
            total += walk(entry.path)
        else:
            total += os.path.getsize(entry.path)
    return total
