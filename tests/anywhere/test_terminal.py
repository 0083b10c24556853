"""Terminals, streams, locales and names that developers do not have: nothing ends with a traceback,
and what was measured is there.
"""

from __future__ import annotations

import ast
import errno
import fcntl
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from iogauge.model.text import shell_path, shell_word
from iogauge.runfile import reading
from tests.fake_study import HEAD, group, measure, steady

HERE = Path(__file__).parent
IOGAUGE = [sys.executable, "-m", "iogauge"]
ON_FAKE = [sys.executable, str(HERE / "with_fake_runner.py")]
"""Who measures finds all toolchains first, which takes longer than to measure so little."""
SRC = Path(__file__).parents[2] / "src"
TINY = HEAD.replace("1h", "1s") + group(steady(20, 30))
NO_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def stored(fake, tmp_path_factory) -> Path:
    """A run whose question cannot be written in ASCII."""
    text = group(steady(20, 30)).replace("Which fake", "Which “fake”, ≥ 3 µs …,")
    return measure(text, fake, tmp_path_factory.mktemp("stored"), seed=1).path


@pytest.fixture
def tiny(tmp_path) -> Path:
    (study := tmp_path / "tiny.toml").write_text(TINY, "utf-8")
    return study


def shell(line: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A line of bash, in which `iogauge` is ours, and `on_fake` the same with the fake runner only;
    its status is that of the first command.
    """
    ours = {"iogauge": IOGAUGE, "on_fake": ON_FAKE}
    known = "".join(f'{name}() {{ {shlex.join(words)} "$@"; }}\n' for name, words in ours.items())
    script = f"{known}{line}\nexit ${{PIPESTATUS[0]}}"
    more = {"cwd": cwd, "env": {**os.environ, **environment}, "timeout": 120}
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False, **more)
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr, done.stderr
    return done


def in_turn(run: Path, commands: list[str]) -> list[str]:
    """The words of a process that carries out commands on a run one after the other: what costs is
    to start.
    """
    words = json.dumps([[*each.split(), str(run)] for each in commands])
    return [*ON_FAKE, "--in-turn", words]


def each_said(shown: str) -> list[str]:
    """What each of such commands said; all ended well."""
    *said, ended = shown.split("\f\n")
    assert [status for _, status in json.loads(ended)] == [0] * len(said)
    return said


def on_terminal(
    command: list[str], cwd: Path, columns: int = 80, **environment: str
) -> tuple[int, str]:
    """The status of a command on a terminal of so many columns, and all that it showed."""
    pid, screen = pty.fork()
    if not pid:
        os.chdir(cwd)
        while os.get_terminal_size(0).columns != columns:  # the size is not set yet
            time.sleep(0.001)
        ours = {name: os.environ[name] for name in os.environ if name not in ("COLUMNS", "LINES")}
        os.execve(command[0], command, {**ours, **environment})
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = b""
    try:
        while part := os.read(screen, 1 << 16):
            shown += part
    except OSError as error:  # what Linux says when the last one has closed it
        assert error.errno == errno.EIO
    os.close(screen)
    text = shown.decode().replace("\r\n", "\n")
    assert "Traceback" not in text
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


CLOSED = (">&-", 2, False, "iogauge: standard output: it is closed")
FULL = (">/dev/full", 2, False, "iogauge: standard output: No space left on device")
UNREAD = ("| true", 0, False, "")
GONE = [
    *(CLOSED, FULL, UNREAD, (">&- 2>&-", 2, False, ""), ("<&- >&- 2>&-", 2, False, "")),
    *((each, 0, True, "") for each in ("2>&-", "2>/dev/full", "<&-", "| head -1")),
]


@pytest.mark.parametrize(
    ("command", "redirected", "status", "out", "err"),
    [
        *(("show RUN", *each) for each in GONE),
        *(("list studies", *each) for each in (CLOSED, FULL, UNREAD)),
    ],
)
def test_a_stream_that_is_gone_is_no_traceback(
    stored, tmp_path, command, redirected, status, out, err
):
    done = shell(f"iogauge {command.replace('RUN', shell_path(stored))} {redirected}", tmp_path)
    assert (done.returncode, bool(done.stdout)) == (status, out)
    assert done.stderr.decode().strip() == err


@pytest.mark.parametrize(
    ("redirected", "status"),
    [(">/dev/full", 3), (">&- 2>&- <&-", 3), ("2>&1 | true", 0)],
)
def test_a_run_is_not_lost_with_its_screen(tiny, tmp_path, redirected, status):
    done = shell(f"on_fake run tiny.toml --dir . --out run.jsonl {redirected}", tmp_path)
    assert done.returncode == status, done.stderr
    assert reading.read(tmp_path / "run.jsonl").complete
    if redirected == ">/dev/full":
        assert "run file: run.jsonl" in done.stderr.decode()


@pytest.mark.parametrize(
    ("commands", "locale"),
    [
        (["show", "show --details", "explain"], NO_LOCALE),
        (["show"], {"PYTHONIOENCODING": "ascii"}),
        (["show"], {"PYTHONIOENCODING": "latin-1"}),
    ],
    ids=str,
)
def test_what_an_encoding_lacks_is_replaced(stored, tmp_path, commands, locale):
    done = shell(shlex.join(in_turn(stored, commands)), tmp_path, **locale)
    assert not done.returncode, done.stderr
    for said in each_said(done.stdout.decode("latin-1")):
        if locale != {"PYTHONIOENCODING": "latin-1"}:
            assert said.isascii() and "3 us ..." in said
        shown = " ".join(said.split())
        assert 'Which "fake", >= 3' in shown and "\x80" not in shown


def test_what_programs_read_is_utf8_in_every_locale(stored, tmp_path):
    formats = ["export", "export --format csv", "export --format markdown"]
    line = shlex.join(in_turn(stored, formats))
    without, usual = (
        each_said(shell(line, tmp_path, **locale).stdout.decode("utf-8"))
        for locale in (NO_LOCALE, {})
    )
    assert without == usual and all(usual) and any(not each.isascii() for each in usual)


@pytest.mark.long
def test_files_are_utf8_in_every_locale(tmp_path):
    text = TINY.replace("Which fake", "Which µ")
    (tmp_path / "µ.toml").write_text(text, "utf-8")
    (tmp_path / "é").mkdir()
    run = "on_fake run µ.toml --dir é --out é/run.jsonl"
    done = shell(run, tmp_path, **NO_LOCALE)
    assert not done.returncode, done.stderr
    assert reading.read(tmp_path / "é" / "run.jsonl").header.study_source == text
    assert not shell("iogauge plan java-read-eleven-ways", tmp_path, **NO_LOCALE).returncode


def test_no_text_is_read_or_written_as_the_locale_says():
    """Those of Path, which ruff cannot tell from others; open() it knows (PLW1514)."""
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                needed = {"read_text": 1, "write_text": 2}.get(node.func.attr, 0)
                assert len(node.args) + len(node.keywords) >= needed, f"{path}:{node.lineno}"
            if isinstance(node, ast.keyword):
                assert (node.arg, ast.unparse(node.value)) != ("universal_newlines", "True"), path


def test_colours_that_are_forced_are_no_live_display(tiny, tmp_path):
    done = shell("on_fake run tiny.toml --dir .", tmp_path, FORCE_COLOR="1", NO_COLOR="")
    assert b"\x1b" not in done.stderr and len(done.stderr.splitlines()) < 8
    assert b"\x1b[" in done.stdout


def test_a_dumb_terminal_shows_lines_and_no_codes(tiny, tmp_path):
    run = [*ON_FAKE, "run", "tiny.toml", "--dir", "."]
    status, shown = on_terminal(run, tmp_path, 60, TERM="dumb")
    assert status == 0 and "\x1b" not in shown and "\r" not in shown
    assert "on-the-fake: Read 64 KiB, cached (about" in shown
    assert max(map(len, without_commands(shown))) <= 60


def without_commands(shown: str) -> list[str]:
    """The lines that are not to be copied, which the terminal itself breaks."""
    lines = CODES.sub("", shown).splitlines()
    return [line for line in lines if "iogauge " not in line and "run file: " not in line]


@pytest.mark.long
def test_every_width_shows_all_of_it(stored, tmp_path):
    def shown(columns: int) -> list[list[str]]:
        """The lines of both commands, without those to be copied."""
        both = in_turn(stored, ["show", "explain"])
        status, text = on_terminal(both, tmp_path, columns, TERM="xterm")
        assert status == 0
        return list(map(without_commands, each_said(text)))

    def figures(lines: list[str]) -> list[str]:
        return sorted(re.findall(r"\d[\d.]*", " ".join(lines)))

    usual = shown(80)
    for columns in (40, 300):
        for lines, wide in zip(shown(columns), usual, strict=True):
            assert max(map(len, lines)) <= min(columns, 80)
            joined = " ".join(" ".join(lines).split())
            assert all(f"steady, speed {speed}" in joined for speed in (20, 30))
            assert figures(lines) == figures(wide) != []


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"CLICOLOR": "0"}, False), ({"TERM": "dumb"}, False)],
)
def test_colours_are_not_shown_to_who_wants_none(stored, tmp_path, variables, coloured):
    show = [*IOGAUGE, "show", str(stored)]
    _, shown = on_terminal(show, tmp_path, **{"TERM": "xterm", **variables})
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9]m", shown)) == coloured


ODD = ["a b", "-x", "q'\"$(id)", "n\nl", "ü", "b\udcff", "e\x1b[2J"]
ODD = [f"{each}.toml" for each in ODD]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_any_name_can_be_given_and_what_is_printed_can_be_pasted(
    stored, tmp_path, name, iogauge, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(TINY, "utf-8")
    run = f"./{name}".replace(".toml", ".jsonl")
    Path(run).write_bytes(stored.read_bytes())
    checked = iogauge("check", f"./{name}")
    assert not checked.returncode, checked.stderr
    assert len(checked.stdout.splitlines()) == 1 and "\x1b" not in checked.stdout
    shown = iogauge("show", run).stdout
    pasted = next(each for each in shown.splitlines() if " explain " in each)
    words = pasted[pasted.index("explain") :].partition("  #")[0]
    taken = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True).stdout
    assert iogauge(*map(os.fsdecode, taken.split(b"\0")[:-1])).returncode == 0
    absent = iogauge("show", f"./no{name}")
    assert absent.returncode == 2
    assert len(absent.stderr.splitlines()) == 1 and "\x1b" not in absent.stderr


@pytest.mark.parametrize("name", [*ODD, "plain", "", "back\\slash\n"], ids=ascii)
def test_a_word_is_one_word_for_a_shell(tmp_path, name):
    for word in (shell_word(name), shell_path(name)):
        said = shell(f"printf %s {word}", tmp_path).stdout
        assert said in (os.fsencode(name), os.fsencode(f"./{name}"))
        assert word.isprintable()


AT_IMPORT = """
import os, signal, sys
from iogauge.__main__ import main

awaited = sys.argv.pop(1)

class Interrupts:
    def find_spec(self, name, *_):
        if name == awaited:
            del sys.meta_path[0]
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupts())
main()
"""


@pytest.mark.parametrize(
    "module", ["typer", "iogauge.commands.plans", "numpy", "iogauge.planning.order"]
)
def test_an_interruption_at_any_time_is_quiet(tiny, tmp_path, module):
    words = [sys.executable, "-c", AT_IMPORT, module, "plan", str(tiny)]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr.strip()) == (130, b"")


def test_a_terminal_that_is_closed_ends_a_run_properly(tmp_path):
    (tmp_path / "long.toml").write_text(HEAD + group(steady(1000, 1200)), "utf-8")
    out = tmp_path / "run.jsonl"
    pid, screen = pty.fork()
    if not pid:
        os.chdir(tmp_path)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored
        os.execv(sys.executable, [*IOGAUGE, "run", "long.toml", "--dir", ".", "--out", str(out)])
    deadline = time.monotonic() + 60
    while not (out.exists() and '"record":"replicate"' in out.read_text("utf-8")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.close(screen)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert reading.read(out).ends[-1].reason == "interrupted"
