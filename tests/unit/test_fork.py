"""Talking to processes: small shell and Python scripts stand in for runners."""

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from itertools import accumulate

import psutil
import pytest

from iogauge.host import processes
from iogauge.runners import fork as forks
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Launch, overlap
from iogauge.runners.wire import Refusal, WireError

ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"verb": json.loads(line)["verb"]}), flush=True)
"""


@pytest.fixture
def start():
    started = []

    def begin(program, **environment):
        launch = Launch((sys.executable, "-c", program), tuple(environment.items()))
        fork = Fork(launch, 0)
        started.append(fork)
        return fork

    yield begin
    for fork in started:
        fork.kill()


def last_words(fork):
    """What it has printed once its input has ended."""
    fork.close_input()
    fork.wait(10)
    return fork.said.end().decode()


def test_ask_and_answer(start):
    fork = start(ECHO)
    assert fork.ask(wire.release(), 10) is not None
    assert fork.request_bytes == len(b'{"verb":"release"}\n')
    assert fork.reply_bytes == len(b'{"verb": "release"}\n')


def test_no_answer_kills_the_fork(start):
    fork = start("import time; time.sleep(60)")
    began = time.monotonic()
    with pytest.raises(WireError, match="no answer to 'release' in time"):
        fork.ask(wire.release(), 0.3)
    assert time.monotonic() - began < 5
    assert not fork.alive


def test_death_is_told_with_the_last_words(start):
    fork = start("import sys; sys.stdin.readline(); print('alas', file=sys.stderr); sys.exit(5)")
    with pytest.raises(WireError, match="exited with status 5; its last words: alas"):
        fork.ask(wire.release(), 10)
    fork = start("import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 11)")
    with pytest.raises(WireError, match="died of SIGSEGV"):
        fork.ask(wire.release(), 10)
    with pytest.raises(WireError):
        fork.ask(wire.release(), 10)


@pytest.mark.parametrize(
    ("said", "broke"),
    [
        ("12:00 ERROR panic in worker: fatal error, out of memory", False),
        ("panic: runtime error: index out of range\n\ngoroutine 1 [running]:\n" + "x\n" * 9, True),
        ("fatal error: stack overflow", True),
        ("thread 'main' panicked at src/main.rs:3:5:\nalas", True),
        ('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', True),
    ],
)
def test_what_a_program_prints_of_itself_says_that_it_broke(start, said, broke):
    text = f"print({said!r}, file=sys.stderr)"
    fork = start(f"import sys; sys.stdin.readline(); {text}; sys.exit(1)")
    with pytest.raises(WireError) as told:
        fork.ask(wire.release(), 10)
    assert isinstance(told.value, forks.Ended) is not broke


def test_a_late_answer_is_not_taken_for_the_next_one(start):
    twice = ECHO + "    time.sleep(0.2); print(json.dumps({'verb': 'release'}), flush=True)\n"
    fork = start("import time" + twice)
    fork.ask(wire.release(), 10)
    time.sleep(1)
    with pytest.raises(WireError, match="spoke without being asked"):
        fork.ask(wire.release(), 10)


def test_a_reply_without_end_is_garbage(start, monkeypatch):
    monkeypatch.setattr(forks, "_LONGEST_REPLY", 1 << 20)
    read, write = "sys.stdin.readline()", "sys.stdout.write('x' * (3 << 20)); sys.stdout.flush()"
    fork = start(f"import sys; {read}; {write}; {read}")
    with pytest.raises(WireError, match="a reply without an end"):
        fork.ask(wire.release(), 10)


@pytest.fixture(
    params=[processes._SETS_SIGNAL, ("no-such-program",), ("false",)],
    ids=["setpriv", "none", "another"],
)
def signal_setting(request, monkeypatch):
    """With the program that sets the parent-death signal, without one, and with one of that name
    that does not.
    """
    if request.param[0] == "setpriv" and not shutil.which("setpriv"):
        pytest.skip("no setpriv")
    monkeypatch.setattr(processes, "_SETS_SIGNAL", request.param)
    processes._sets_signal.cache_clear()
    yield
    processes._sets_signal.cache_clear()


def test_a_fork_dies_with_its_host_and_leads_a_session(signal_setting, start):
    told = "import ctypes, os, sys; found = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(found)); print(found.value, os.getsid(0) == os.getpid(), file=sys.stderr)"
    assert last_words(start(told + "; sys.stdin.readline()")) == f"{int(signal.SIGKILL)} True\n"


def test_a_command_that_is_not_there(signal_setting):
    with pytest.raises(WireError, match="cannot be started: No such file"):
        Fork(Launch(("/no/such/program",)), 0)


def test_sizes_and_variables_reach_the_process():
    program = "import os, sys; sys.stdin.readline(); print(os.environ['A'] + sys.argv[1], file=sys.stderr)"
    launch = Launch((sys.executable, "-c", program, "{heap_mib}/{young_mib}"), (("A", "b"),))
    assert last_words(Fork(launch, 256)) == "b256/64\n"


@pytest.mark.parametrize(
    ("options", "kept"),
    [((), "first,second"), (("-XX:+UseZGC",), "second,-XX:+UseZGC"), (("-X",), "first,second,-X")],
)
def test_a_word_that_an_option_contradicts_is_left_out(options, kept):
    program = "import sys; sys.stdin.readline(); print(','.join(sys.argv[1:]), file=sys.stderr)"
    command = (sys.executable, "-c", program, "first", "second", "{options}")
    launch = Launch(command, unless=(("first", r"^-XX:\+Use\w+GC$"),))
    assert last_words(Fork(launch, 0, options)).strip() == kept


def test_talks_overlap_but_not_more_than_wanted(start):
    events = []
    slow = ECHO.replace("print(", "__import__('time').sleep(0.2); print(")

    def talk():
        fork = start(slow)
        events.append("start")
        yield fork, wire.release(), 10
        yield fork, wire.release(), 10
        events.append("end")

    overlap([talk() for _ in range(4)], at_once=2)
    active = accumulate(1 if event == "start" else -1 for event in events)
    assert max(active) == 2 and len(events) == 8


def test_an_error_concerns_only_its_talk(start):
    done = []

    def talk(program, expected):
        fork = start(program)
        with expected:
            for _ in range(3):
                yield fork, wire.release(), 10
        done.append(program)

    says_no = 'import sys\nfor line in sys.stdin: print(\'{"error": "no"}\', flush=True)'
    talks = [(ECHO, contextlib.nullcontext()), (says_no, pytest.raises(Refusal, match="no"))]
    talks.append(("pass", pytest.raises(WireError)))
    overlap([talk(*each) for each in talks], at_once=3)
    assert sorted(done) == sorted(program for program, _ in talks)


def test_a_runner_that_ignores_the_end_of_its_input_is_killed(start):
    fork = start("import time\nwhile True: time.sleep(1)")
    began = time.monotonic()
    fork.end()
    assert time.monotonic() - began < 5
    with pytest.raises(ProcessLookupError):
        os.kill(fork.pid, 0)


@pytest.mark.parametrize("how", ["kill", "end"])
def test_what_the_runner_started_ends_with_it(start, how):
    """Also what it leaves behind when it ends by itself, as the user's code may."""
    fork = start(
        "import subprocess, sys; p = subprocess.Popen(['sleep', '60'], stdin=subprocess.DEVNULL);"
        "print(p.pid, file=sys.stderr, flush=True); sys.stdin.read()"
    )
    deadline = time.monotonic() + 10
    while not (text := fork.said.end().decode()).strip() and time.monotonic() < deadline:
        time.sleep(0.02)
    getattr(fork, how)()
    with contextlib.suppress(psutil.NoSuchProcess):
        child = psutil.Process(int(text))
        for _ in range(100):
            if child.status() == psutil.STATUS_ZOMBIE:
                return
            time.sleep(0.02)
        child.kill()
        raise AssertionError("the child of a runner lives on")


def test_evidence_counts_calls_and_bytes_exactly(start, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(100_000))
    program = f"""
import os
while os.read(0, 4096):
    fd = os.open({str(path)!r}, os.O_RDONLY)
    for _ in range(10):
        os.read(fd, 1000)
    os.close(fd)
    os.write(1, b'{{"verb": "release"}}\\n')
"""
    fork = start(program)
    fork.ask(wire.release(), 10)
    before = fork.counters.read()
    for _ in range(5):
        fork.ask(wire.release(), 10)
    gained = fork.counters.since(before)
    assert gained["syscr"] == 5 * (10 + 1)
    assert gained["rchar"] == 5 * (10_000 + fork.request_bytes)
    assert gained["syscw"] == 5 and gained["wchar"] == 5 * fork.reply_bytes
    assert gained["context_switches"] >= 5
    assert gained["peak_rss_bytes"] > 1 << 20
    assert gained["read_bytes"] == 0


def test_evidence_of_a_dead_process_is_unknown_not_zero(start):
    fork = start(ECHO)
    fork.ask(wire.release(), 10)
    counters = fork.counters
    before = counters.read()
    os.kill(fork.pid, signal.SIGKILL)
    fork._process.wait()
    gained = counters.since(before)
    assert {gained[name] for name in ("syscr", "user_ns", "context_switches")} == {None}


def test_processor_time_of_threads_is_found_by_their_names():
    def work():
        with open(
            f"/proc/self/task/{threading.get_native_id()}/comm", "w", encoding="utf-8"
        ) as name:
            name.write("C2 spins")
        while time.thread_time() < 0.1:
            pass
        done.wait()

    done = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    try:
        deadline = time.monotonic() + 60
        while processes.thread_seconds(os.getpid(), ("C1 ", "C2 ")) < 0.1:
            assert time.monotonic() < deadline
    finally:
        done.set()
        thread.join()
    assert processes.thread_seconds(os.getpid(), ("nothing ",)) == 0
    assert processes.thread_seconds(1 << 30, ("C2 ",)) is None


LOUD = """
import sys
for line in sys.stdin:
    for _ in range(16):
        sys.stderr.write("x" * (1 << 20))
    print("the end", file=sys.stderr)
    print('{"verb": "release"}', flush=True)
"""


def test_what_a_fork_prints_is_counted_and_its_end_is_kept(start):
    """Not in a file: nothing is left of 16 MiB but the last words, in memory."""
    fork = start(LOUD)
    for each in range(1, 3):
        fork.ask(wire.release(), 30)
        assert fork.said.count == each * ((16 << 20) + len("the end\n"))
    assert os.readlink(f"/proc/{fork.pid}/fd/2").startswith("pipe:")
    fork.close_input()
    fork.wait(10)
    said = fork.said.end()
    assert len(said) == 64 << 10 and said.endswith(b"xthe end\n")


def test_a_child_that_keeps_the_pipe_open_holds_nobody_up(start):
    """It has a session of its own, so that it lives on."""
    fork = start(
        "import subprocess, sys\n"
        "p = subprocess.Popen(['sleep', '60'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)\n"
        "print(p.pid, file=sys.stderr, flush=True)\n"
        "sys.stdin.readline()\n"
        "sys.exit(5)"
    )
    began = time.monotonic()
    with pytest.raises(WireError, match=r"status 5; its last words: \d+$"):
        fork.ask(wire.release(), 10)
    child = psutil.Process(int(fork.said.end()))
    try:
        assert child.status() == psutil.STATUS_SLEEPING
        assert time.monotonic() - began < 5
    finally:
        child.kill()
