"""Hashes what a gzip file holds: unpacking it on the same thread, or in a process beside it."""

import gzip
import hashlib
import subprocess
import sys

total = hashlib.sha256()
if sys.argv[1] == "bad":
    with gzip.open("text.gz", "rb") as file:
        while piece := file.read(1 << 20):
            total.update(piece)
else:
    with subprocess.Popen(["gzip", "-dc", "text.gz"], stdout=subprocess.PIPE) as unpacked:
        assert unpacked.stdout is not None
        while piece := unpacked.stdout.read(1 << 20):
            total.update(piece)
print(total.hexdigest())
