"""`iogauge watch`, from the command line on: real programs on small files. What is counted is exact;
no time is asserted.
"""

from __future__ import annotations

import errno
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iogauge.commands import arguments
from iogauge.commands.watching import watch
from iogauge.host import folios
from iogauge.model import folders
from iogauge.model.watched import Constant, Span
from iogauge.watching.rough import ROUGH

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it watches through /proc")
OWN_CALLS = 50  # of loader and supervisor


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "iogauge", "watch", *map(str, words)]


def run(*words: object, **settings) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=120, **settings)


def record(folder: Path, *words: object, options: tuple[str, ...] = (), **settings):
    """The record of a watch, and the process that has ended."""
    out = folder / "record.json"
    done = run("--json", "-o", out, "--dir", folder, *options, "--", *words, **settings)
    return json.loads(out.read_text()), done


def wait_for(path: Path) -> None:
    """Until a file is there, and has what was written into it."""
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until, path
        time.sleep(0.02)
    time.sleep(0.1)


def until_it_has_looked(watch: subprocess.Popen[str], waits: int) -> None:
    """Until the watcher has seen what runs now: it waits once for each look, and several times for
    strace. A busy machine may let it do so late, so no time would be long enough.
    """

    def waited() -> int:
        lines = Path(f"/proc/{watch.pid}/status").read_text("ascii").splitlines()
        return next(int(each.split()[1]) for each in lines if each.startswith("voluntary"))

    before, until = waited(), time.monotonic() + 60
    while waited() < before + waits:
        assert time.monotonic() < until and watch.poll() is None
        time.sleep(0.02)


def let_go_on(pipe: Path) -> None:
    """Write a line for who reads it from a named pipe, or will."""
    until = time.monotonic() + 60
    while True:
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as error:  # nobody reads yet
            assert error.errno == errno.ENXIO and time.monotonic() < until
            time.sleep(0.02)
    os.write(end, b"\n")
    os.close(end)


def record_of_what_waits(folder: Path, *words: object, waits: int = 15):
    """The record of a program that makes the file `begun` where it should be seen, and then reads
    the named pipe `goes-on`, all in its current folder; and the process that has ended.
    """
    out, pipe = folder / "record.json", folder / "goes-on"
    os.mkfifo(pipe)
    watch = subprocess.Popen(
        command("--json", "-o", out, "--dir", folder, "--", *words),
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    wait_for(folder / "begun")
    until_it_has_looked(watch, waits)
    let_go_on(pipe)
    watch.communicate(timeout=120)
    return json.loads(out.read_text()), watch


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(os.urandom(4 << 20))
    return path


def test_the_account_has_every_call_and_byte_of_a_command_and_its_children(tmp_path, data):
    line = (
        f"dd if={data} of=/dev/null bs=512; "
        f"(cat {data}; : > begun; read line < goes-on) | dd of=out bs=1024"
    )
    found, done = record_of_what_waits(tmp_path, "sh", "-c", line)
    assert done.returncode == 0 and found["status"] == 0
    calls, total = 8192 + 4096 + 32, found["total"]
    assert 0 <= total["read_calls"] - calls <= 3 * OWN_CALLS
    assert 3 * (4 << 20) <= total["read_bytes"] <= 3 * (4 << 20) + (1 << 20)
    assert {each["name"] for each in found["programs"]} >= {"dd"}


def test_the_fault_is_found_first_with_the_option_that_mends_it(tmp_path):
    data = tmp_path / "data"
    data.write_bytes(bytes(96 << 20))
    done = run("--dir", tmp_path, "--", "dd", f"if={data}", "of=/dev/null", "bs=512")
    assert done.returncode == 0, done.stderr
    page = done.stderr[done.stderr.index("iogauge watch: dd") :]
    assert "WHAT A CHANGE WOULD SAVE" in page and "bs=128K" in page
    assert "reads of 512 B" in page and "/dev/null" in page
    lines = page.splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 80


def test_output_and_status_are_the_commands_own(tmp_path):
    found, done = record(tmp_path, "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.stdout, done.returncode, found["status"]) == ("out\n", 3, 3)
    assert "err" in done.stderr


def test_input_reaches_the_command(tmp_path):
    _, done = record(tmp_path, "cat", input="what was typed")
    assert done.stdout == "what was typed"


def test_an_end_by_a_signal_is_a_status_as_a_shell_has_it(tmp_path):
    found, done = record(tmp_path, "sh", "-c", "kill -TERM $$")
    assert done.returncode == found["status"] == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--", "no-such-program"], 127, "no-such-program: no such command"),
        (["--", "/etc/passwd"], 126, "/etc/passwd: "),
        ([], 2, "a command (iogauge watch -- COMMAND) or --pid"),
        (["--pid", "999999999"], 2, "there is no such process"),
        (["--pid", "1", "--", "true"], 2, "give one"),
        (["--verify", "true", "--pid", "1"], 2, "leave out --pid"),
        (["--prepare", "true", "--", "true"], 2, "--verify"),
        (["-o", "/no/such/folder/x", "--", "true"], 2, "its folder does not exist"),
    ],
)
def test_bad_input_is_one_line(words, status, says):
    done = run(*words)
    assert done.returncode == status
    assert says in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_program_that_is_too_short_has_one_line_and_no_advice(tmp_path):
    done = run("--dir", tmp_path, "--", "true")
    assert done.returncode == 0 and "too short to gain anything" in done.stderr


def test_a_fine_program_has_no_advice(tmp_path, data):
    found, _ = record(
        tmp_path, sys.executable, "-c", f"print(len(open({str(data)!r}, 'rb').read()))"
    )
    assert found["findings"] == []


def test_what_stays_behind_goes_on_and_is_named(tmp_path):
    sign, pipe = tmp_path / "sign", tmp_path / "goes-on"
    os.mkfifo(pipe)
    line = f"(read line < {pipe}; echo done > {sign}) > {os.devnull} 2>&1 & sleep 0.2"
    found, done = record(tmp_path, "sh", "-c", line)
    assert done.returncode == 0
    assert found["left"]
    let_go_on(pipe)
    wait_for(sign)
    assert sign.read_text() == "done\n"


def test_a_program_that_does_not_wait_for_its_children_is_named(tmp_path):
    program = (
        "import os, signal\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "pid = os.fork()\n"
        "if not pid: os._exit(0)\n"
        "open('begun', 'w').close(); open('goes-on').readline()\n"
    )
    found, _ = record_of_what_waits(tmp_path, sys.executable, "-c", program)
    assert any(
        "does not wait for its children" in (each["unseen"] or "") for each in found["programs"]
    )


def test_a_program_with_closed_output(tmp_path):
    found, done = record(tmp_path, "sh", "-c", "exec >&-; sleep 0.1; exit 4")
    assert done.returncode == found["status"] == 4


@pytest.mark.long
def test_five_hundred_threads(tmp_path):
    program = (
        "import threading\n"
        "ends = threading.Event()\n"
        "[threading.Thread(target=ends.wait).start() for _ in range(500)]\n"
        "open('begun', 'w').close(); open('goes-on').readline(); ends.set()\n"
    )
    found, done = record_of_what_waits(tmp_path, sys.executable, "-c", program, waits=5)
    assert done.returncode == 0 and found["cost"]["looks"] >= 2


def test_ctrl_c_reaches_the_command_and_what_was_seen_is_told(tmp_path):
    ready = tmp_path / "ready"
    line = f"touch {ready}; sleep 30"
    process = subprocess.Popen(
        command("--dir", tmp_path, "--", "sh", "-c", line),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(ready)
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGINT
    assert "iogauge watch: sh" in said


def test_the_command_goes_on_when_iogauge_is_killed(tmp_path):
    sign, ready = tmp_path / "sign", tmp_path / "ready"
    process = subprocess.Popen(
        command("--", "sh", "-c", f"touch {ready}; sleep 1; echo done > {sign}"),
        stderr=subprocess.DEVNULL,
    )
    wait_for(ready)
    process.kill()
    process.wait()
    wait_for(sign)
    assert sign.read_text() == "done\n"


@pytest.mark.long
def test_a_process_that_runs_already(tmp_path, data):
    program = (
        "import os, sys, time\n"
        f"file = os.open({str(data)!r}, os.O_RDONLY)\n"
        "for _ in range(9000): os.pread(file, 100, 0)\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for _ in range(3000): os.pread(file, 100, 0)\n"
        "if not os.fork():\n"
        "    for _ in range(2000): os.pread(file, 100, 0)\n"
        "    time.sleep(0.5); os._exit(0)\n"
        "os.wait(); time.sleep(1)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()
        out = tmp_path / "record.json"
        watch = subprocess.Popen(
            command("--json", "-o", out, "--dir", tmp_path, "--pid", process.pid),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert watch.stderr and "until it ends" in watch.stderr.readline()
        process.stdin.write("\n")
        process.stdin.close()
        watch.communicate(timeout=60)
        assert watch.returncode == 0
    found = json.loads(out.read_text())
    assert found["visited"] and found["status"] is None
    assert 5000 <= found["total"]["read_calls"] <= 5000 + OWN_CALLS  # the child's once
    assert sum(each["read_calls"] for each in found["moments"]) <= 5000 + OWN_CALLS


@pytest.mark.long
def test_a_command_that_reads_its_terminal(tmp_path):
    out = tmp_path / "record.json"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, command("--json", "-o", out, "--", "head", "-1"))
    time.sleep(2)
    os.write(terminal, b"typed\n")
    _, status = os.waitpid(pid, 0)
    assert os.WEXITSTATUS(status) == 0 and json.loads(out.read_text())["status"] == 0


@pytest.mark.long
@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
def test_a_full_trace_has_every_call_and_byte(tmp_path, data):
    found, done = record(
        tmp_path, "dd", f"if={data}", "of=/dev/null", "bs=4096", options=("--trace",)
    )
    assert done.returncode == 0 and "300 times" in done.stderr
    reads = [each for each in found["calls"] if each["name"] == "read" and each["file"] == "data"]
    assert sum(each["count"] for each in reads) == 1025
    assert sum(each["bytes"] for each in reads) == 4 << 20
    assert 1025 <= found["total"]["read_calls"] <= 1025 + OWN_CALLS
    assert found["total"]["write_calls"] < 1024 + OWN_CALLS  # without those of strace


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
def test_a_full_trace_ends_with_its_command(tmp_path):
    sign, goes_on = tmp_path / "sign", tmp_path / "goes-on"
    waits = f"while ! [ -e {sign} ]; do sleep 0.1; done; echo done > {goes_on}"
    line = f"umask 022; ({waits}) >&- 2>&- & exit 3"
    found, done = record(tmp_path, "sh", "-c", line, options=("--trace",))
    assert done.returncode == 3 and found["calls"]
    assert found["left"] and "strace" not in found["left"]
    sign.touch()
    wait_for(goes_on)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no compiler")
@pytest.mark.long
def test_a_static_program(tmp_path, data):
    source = tmp_path / "reads.c"
    source.write_text(
        "#include <fcntl.h>\n#include <unistd.h>\n"
        "int main(int n, char **w) { char b[64]; int f = open(w[1], O_RDONLY);"
        " for (int i = 0; i < 1000000; i++) read(f, b, 64); return 0; }\n"
    )
    program = tmp_path / "reads"
    subprocess.run(["gcc", "-O1", "-w", "-static", source, "-o", program], check=True)
    found, _ = record(tmp_path, program, data)
    assert 1_000_000 <= found["total"]["read_calls"] <= 1_000_000 + OWN_CALLS
    assert found["programs"][0]["own"]


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root")
def test_a_program_that_changes_its_user_is_counted(tmp_path):
    words = ("setpriv", "--reuid", "65534", "--clear-groups", "dd", "if=/dev/zero", "of=/dev/null")
    found, done = record(tmp_path, *words, "bs=512", "count=8192")
    assert done.returncode == 0, done.stderr
    assert found["total"]["read_calls"] >= 8192


@pytest.mark.long
def test_a_saving_that_does_not_come_true_is_status_1(tmp_path):
    slow, fast = "sleep 0.02", "sleep 0.1"
    done = run("--dir", tmp_path, "--verify", fast, "--", *slow.split())
    assert done.returncode == 1 and "it is not faster" in " ".join(done.stderr.split())
    done = run("--dir", tmp_path, "--verify", slow, "--", *fast.split())
    assert done.returncode == 0 and "more times, in turns" in done.stderr


def test_records_stay_in_a_folder_of_their_own(tmp_path):
    run("--dir", tmp_path, "--", "true")
    kept = [*folders.watches().iterdir()]
    assert kept and all(each.name.endswith(".watch.json") for each in kept)
    assert not folders.runs().exists() or not folders.runs_by_age()


@pytest.mark.long
def test_names_that_are_no_utf_8_are_kept_as_escapes(tmp_path, data):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    data.rename(odd)
    found, done = record(tmp_path, "dd", f"if={odd}", "of=/dev/null", "bs=16")
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert {each["file"] for each in found["calls"] if each["name"] == "read"} >= {"d\\udcff"}


@pytest.mark.parametrize("options", [(), ("--trace",)])
def test_what_cannot_be_started_is_told_apart(tmp_path, options):
    if options and not shutil.which("strace"):
        pytest.skip("it needs strace")
    for word, status in (("", 127), ("/no/such/command", 127), (str(tmp_path), 126)):
        done = run("--dir", tmp_path, *options, "--", word)
        assert done.returncode == status, done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_what_cannot_be_written_costs_neither_the_page_nor_the_status(tmp_path):
    (tmp_path / "file").touch()
    nowhere = os.environ | {"XDG_DATA_HOME": str(tmp_path / "file")}
    words = ("--", "sh", "-c", "exit 6")
    done = run("-o", "/dev/full", "--dir", tmp_path, *words, env=nowhere)
    assert done.returncode == 6
    first, second, *page = done.stderr.splitlines()
    assert first.startswith("no record of this watch is kept: ")
    assert second.startswith("--out /dev/full: No space left on device")
    assert page[0].startswith("iogauge watch: sh, ")
    assert "iogauge report" not in done.stderr


def test_a_folder_for_the_page_is_refused_before_the_command_runs(tmp_path):
    made = tmp_path / "made"
    done = run("-o", tmp_path, "--dir", tmp_path, "--", "touch", made)
    assert done.returncode == 2 and "it is a folder" in done.stderr
    assert not made.exists()


def test_the_page_is_shown_where_the_other_command_of_a_verification_fails(tmp_path):
    done = run("--dir", tmp_path, "--verify", "false", "--", "sleep", "0.1")
    assert done.returncode == 2
    assert "iogauge watch: sleep, " in done.stderr
    assert done.stderr.endswith("so its time says nothing; mend that first\n")


PASSES = """
import mmap, sys
with open(sys.argv[1], "rb") as file:
    for _ in range(30):
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            sum(data[::4096])
"""
NS_PER_MIB = {"mapped-small": 100_000, "mapped-large": 12_000}


@pytest.mark.parametrize("piece", [8000, 1 << 20])
def test_a_mapping_is_a_finding_where_its_file_was_written_by_small_pieces(
    folder, monkeypatch, piece
):
    if one := folios.only_one_size(folder):
        pytest.skip(one.why)
    known = ROUGH.model_copy(
        update={
            "calls": (
                *(each for each in ROUGH.calls if each.name not in NS_PER_MIB),
                *(
                    Constant(name=name, size=1 << 20, ns=Span(low=ns, middle=ns, high=ns))
                    for name, ns in NS_PER_MIB.items()
                ),
            )
        }
    )
    monkeypatch.setattr("iogauge.measuring.constants.known", lambda folder: known)
    log, script, out = (folder / each for each in ("log", "passes.py", "record.json"))
    script.write_text(PASSES)
    content = os.urandom(64 << 20)
    with open(log, "wb", buffering=0) as file:
        for at in range(0, len(content), piece):
            file.write(content[at : at + piece])
    words = [sys.executable, str(script), str(log)]
    given = arguments.Watch(command=words, directory=folder, out=out, as_json=True)
    assert watch(given) == 0
    found = [each for each in json.loads(out.read_text())["findings"] if "mapped" in each["kind"]]
    if piece > 8000:
        assert found == []
        return
    (one,) = found
    assert (one["kind"], one["file"], one["size"]) == ("mapped-small-folios", "log", 4096)
    assert one["calls"] <= 30 * 64 * 16 * 1.1 and one["saves"]["low"] > 0
    assert one["change"]["text"].startswith("write log in pieces of 1 MiB")
