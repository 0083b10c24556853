import shutil


def copy_file(src, dst):
    shutil.copyfile(src, dst)


def merge(paths, out):
    with open(out, "wb") as o:
        for p in paths:
            with open(p, "rb") as f:
                o.write(f.read())
