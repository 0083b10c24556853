"""Why the user's own code takes its time: calls that no counter counts, and waiting."""

import re
import shutil

import pytest

pytestmark = pytest.mark.real

TELLS = """
def tells(path):
    with open(path, "rb") as file:
        while True:
            file.tell()
            if not file.read(100):
                return file.tell()
"""
SLEEPS = """
import time
def sleeps(path):
    time.sleep(0.05)
    with open(path, "rb") as file:
        return len(file.read())
"""
KEEPS = """
import mmap
KEPT = []
def keeps(path):
    with open(path, "rb") as file:
        KEPT[:] = [mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)]
    return sum(KEPT[0][::4096])
"""


@pytest.fixture
def here(disk_folder, monkeypatch):
    """The folder in which a user is, with a file."""
    folder = disk_folder / "user"
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    (folder / "data").write_bytes(bytes(range(256)) * 8000)
    return folder


@pytest.fixture
def measured(iogauge, here):
    """Measures a function on a file, and gives what `explain` says, cached and from disk."""

    def measure(text: str, told: str) -> list[str]:
        """Where others are at work, it takes longer until there is processor time `told` of."""
        (here / "code.py").write_text(text)
        for budget in ("4s", "20s"):
            done = iogauge("data", "--own", "code.py", "--budget", budget, "--dir", ".")
            assert done.returncode == 0, done.stdout + done.stderr
            said = " ".join(iogauge("explain").stdout.split()).split("(from disk)")
            if told in said[0]:
                break
        return said

    return measure


@pytest.mark.long
def test_other_calls_than_reads_are_told_and_a_trace_names_them(measured, iogauge):
    cached, *_ = measured(TELLS, "The kernel takes")
    other = r"read calls of 4 KiB, (about \d+|under 1) %, and other calls to the kernel, about "
    assert re.search(other + r"\d+ %; `explain --trace` names them\.", cached), cached
    assert "which saves at most" not in cached
    if not shutil.which("strace"):
        return
    refused = iogauge("explain", "--trace", "--dir", ".")
    assert refused.returncode == 2 and "add --file FILE --own CODE" in refused.stderr
    named = ("--file", "data", "--own", "code.py", "--dir", ".")
    traced = iogauge("explain", "--trace", *named)
    calls = " ".join(traced.stdout.split())
    assert re.search(r"strace, one operation: 20\d\d\d lseek, 50\d read of", calls), calls
    with open("code.py", "a", encoding="utf-8") as file:
        file.write("\n")
    refused = iogauge("explain", "--trace", *named)
    assert refused.returncode == 2 and "--own is other code than the run's" in refused.stderr


@pytest.mark.long
def test_a_function_that_keeps_its_file_mapped_is_told_of(iogauge, here):
    """A mapping is faster of pages that somebody else has mapped already."""
    (here / "code.py").write_text(KEEPS)
    done = iogauge("data", "--own", "code.py", "--budget", "4s", "--dir", ".")
    assert "Traceback" not in done.stderr, done.stderr
    told = " ".join(done.stdout.split())
    assert "keeps(path): it keeps its file mapped after the call" in told, told


@pytest.mark.long
def test_a_function_that_sleeps_waits_for_neither_the_processor_nor_the_disk(measured):
    """From disk it may wait for that, too. Where others keep the processors busy, it may wait for
    one.
    """
    cached, *from_disk = measured(SLEEPS, "The process waits")
    waits = r"The process waits for (\d\d|over 99) % of the time, neither for the processor nor for"
    busy = "something else was running" in " ".join([cached, *from_disk])
    assert busy or re.search(waits + " the disk", cached), cached
    assert not [each for each in from_disk if " for the disk" in each]
