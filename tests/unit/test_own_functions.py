"""Which functions of a user's Python module are measured, how they are called, and what they return:
as the runner lists and calls them.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RUNNER = Path(__file__).parents[2] / "runners" / "python"
TEXT = "one two\nthree\n"


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """A copy of the runner, into which user's code is put."""
    folder = tmp_path_factory.mktemp("runner")
    for each in ("harness", "strategies"):
        shutil.copytree(RUNNER / each, folder / each, ignore=shutil.ignore_patterns("__pycache__"))
    for each in ("main.py", "iogauge_own.py"):
        shutil.copy(RUNNER / each, folder)
    (folder / "log.txt").write_text(TEXT)
    return folder


@pytest.fixture
def again(runner):
    """Asks the runner, with the code that it has, for its answers."""

    def ask(*requests):
        done = subprocess.run(
            [sys.executable, "-E", "-B", runner / "main.py"],
            input="".join(f"{json.dumps(each)}\n" for each in requests),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return ask


@pytest.fixture
def asked(runner, again):
    """Asks the runner, with such code and what the host tells of it, for its answers."""

    def ask(text, *requests, place="code.py", files=(), **words):
        own = runner / "own"
        shutil.rmtree(own, ignore_errors=True)
        for name, content in {**dict(files), place: text}.items():
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text(content)
        for name, said in words.items():
            (own / f"{name}.txt").write_text(said)
        answers = again({"verb": "list"}, *requests)
        assert not [each.name for each in own.glob("tried-*.txt")]
        return answers

    return ask


@pytest.fixture
def listed(asked):
    """By the name of each strategy what it sums; or why there is none."""

    def told(text, **more):
        (answer,) = asked(text, **more)
        if "error" in answer:
            return answer["error"]
        return {
            each["name"].removeprefix("python/own-"): each["sums"]
            for each in answer["strategies"]
            if "/own-" in each["name"]
        }

    return told


@pytest.fixture
def called(asked, runner):
    """What one call of the only function reports as its own result: a number; or why it fails."""

    def call(text, *, sums="nothing", **more):
        name = f"python/own-{more.pop('name', 'f')}"
        consume = "none" if sums == "nothing" else "sum"
        work = {"operation": "read", "consume": consume, "mode": None, "durability": None}
        opening = {"verb": "open", "strategy": name, "parameters": {}, "workload": work}
        path = str(runner / "log.txt")
        sample = {"verb": "sample", "operations": 1, "spans": 1, "paths": [path]}
        *_, answer = asked(text, opening, sample, **more)
        said = answer.get("error") or (answer["count"], answer["sum"])
        return said.removeprefix(f"{path}: ") if isinstance(said, str) else said

    return call


AS_TEXT = {"f": "codepoint", "f-as-result": "nothing"}


def every(functions: list[str]) -> str:
    """A module of these, in the place of whose `f` each has a name of its own: f0, f1 and so on."""
    return "\n".join(re.sub(r"\bf\b", f"f{number}", each) for number, each in enumerate(functions))


FILES = (
    "path file filename file_name fname fn infile in_file input_file inputFile csvfile csv_path log "
    "logfile log_path log_file_path src source data_source path_to_log f_in fp"
)
NO_FILES = "outfile dst profile output_path paths line"


def test_parameters_that_are_called_as_files_are(listed):
    """Beside others that would open what they are given, too."""
    called = [*FILES.split(), *NO_FILES.split()]
    found = listed(
        every([f"def f({each}):\n    return len(open({each}).read())" for each in called])
    )
    assert found == {f"f{number}": "nothing" for number in range(len(FILES.split()))}


def test_an_annotation_says_how_the_file_is_taken(listed):
    """What works is taken, whatever it says."""
    uses = {
        "Path": "x.read_text()",
        "'Path'": "x.read_text()",
        "'Path | None'": "x.read_text()",
        "typing.Optional[Path]": "x.read_text()",
        "typing.Union[str, 'os.PathLike[str]']": "x.read_text()",
        "os.PathLike": "x.read_text()",
        "StrPath": "open(x).read()",
        "'str | os.PathLike'": "open(x + '').read()",
        "typing.TextIO": "x.read()",
        "typing.IO[str]": "x.read()",
    }
    head = "import os, typing\nfrom pathlib import Path\nStrPath = typing.Union[str, Path]\n"
    text = every([f"def f(x: {annotation}):\n    return {use}" for annotation, use in uses.items()])
    numbers = range(len(uses))
    expected = {f"f{number}": "codepoint" for number in numbers}
    assert listed(head + text) == expected | {
        f"f{number}-as-result": "nothing" for number in numbers
    }
    other = "import typing\ndef f(x: typing.Iterable[str]):\n    return ''.join(x)\n"
    assert listed(other) == AS_TEXT


def test_an_annotation_of_something_else_is_no_file(listed):
    text = "def g(path: list[str]):\n    pass\ndef h(file: int):\n    pass\n"
    assert listed(f"{text}def f(x):\n    return open(x).read()") == AS_TEXT


RETURNED = {
    "def f(path):\n    return set(open(path))": "nothing",
    "def f(path):\n    return [x.strip() for x in open(path)]": "line-codepoint",
    "def f(path):\n    return sorted(open(path, 'rb'))": "line-byte",
    "def f(path):\n    yield open(path, 'rb').read()": "byte",
    "def f(path):\n    return map(str.strip, open(path))": "line-codepoint",
    "def f(path):\n    return zip(open(path), open(path))": "nothing",
    "def f(path):\n    open(path).read()": "nothing",
    "def f(path):\n    return open(path)": "line-codepoint",
    "f = lambda path: open(path).read()": "codepoint",
    "import functools\nf = functools.partial(lambda n, path: open(path).read(), 1)": "codepoint",
    "async def f(path):\n    return open(path).read()": "codepoint",
    "async def f(path):\n    for x in open(path):\n        yield x": "nothing",
    "from concurrent.futures import ThreadPoolExecutor as E\ndef f(path):\n"
    "    return E(1).submit(lambda: open(path).read())": "codepoint",
    "def f(path, *, encoding='utf-8', **more):\n    return open(path).read()": "codepoint",
    "def f(verbose=False, *, path):\n    return open(path).read()": "codepoint",
}


def test_what_a_function_returns(listed):
    text = every([*RETURNED, "def f(path):\n    return open(path).read()\nf.returns = 'text'"])
    expected = {f"f{number}": sums for number, sums in enumerate(RETURNED.values())}
    results = {
        f"{name}-as-result": "nothing" for name, sums in expected.items() if sums != "nothing"
    }
    assert listed(text) == expected | results | {f"f{len(RETURNED)}": "codepoint"}


def test_the_strategy_of_a_result_names_the_one_whose_place_it_may_take(asked):
    (answer,) = asked("def f(path):\n    return open(path).read()")
    found = {each["name"]: each for each in answer["strategies"]}
    own, result = found["python/own-f"], found["python/own-f-as-result"]
    assert (own["instead_of"], result["instead_of"]) == (None, "python/own-f")
    assert (own["call"], own["title"]) == (result["call"], result["title"])


def test_a_decorator_hides_no_function(listed):
    text = """import functools, time
def timed(func):
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)
    return wrapper
@timed
def f(input_file):
    return open(input_file).read()
@functools.lru_cache(maxsize=None)
def g(path):
    return open(path).read()
"""
    assert set(listed(text)) == {"f", "f-as-result", "g", "g-as-result"}


def test_methods_of_classes(listed):
    text = """import abc
class Util:
    @staticmethod
    def read(path):
        return open(path, "rb").read()
    @classmethod
    def size(cls, path):
        return len(cls.read(path))
    def by_object(self, path):
        return len(open(path).read())
class Log:
    def __init__(self, path):
        self.path = path
    def __iter__(self):
        yield from open(self.path)
    def count(self):
        return sum(1 for _ in self)
    def described(self):
        return f"log {self.path}"
    def grep(self, pattern):
        return [x for x in self if pattern in x]
class Record:
    def __init__(self, line, number):
        pass
    def text(self):
        return ""
class Base(abc.ABC):
    def __init__(self, path):
        pass
    @abc.abstractmethod
    def read(self):
        return open(self.path).read()
class Wrong(Exception):
    pass
"""
    kinds = {"util-read": "byte", "util-size": "nothing", "util-by-object": "nothing"}
    kinds |= {"log": "line-codepoint", "log-count": "nothing"}
    kinds |= {"util-read-as-result": "nothing", "log-as-result": "nothing"}
    assert listed(text) == kinds


def test_what_is_imported_is_not_the_users(listed):
    text = "from os.path import getsize\nfrom shutil import *\nfrom io import open as io_open\n"
    assert listed(f"{text}def f(x):\n    return io_open(x).read()") == AS_TEXT


def test_a_function_that_is_named(listed):
    text = "def f(path):\n    return open(path).read()\ndef _g(some):\n    return len(open(some).read())\n"
    text += "class A:\n    def __init__(self, path):\n        self.path = path\n"
    text += "    def size(self):\n        return len(open(self.path).read())\n"
    assert listed(text, function="_g") == {"g": "nothing"}
    assert listed(text, function="A.size\n") == {"a-size": "nothing"}
    there = "there are: f, A.size"
    assert listed(text, function="h") == f"no function h in it; {there}"
    assert listed(text, function="A") == f"no function A in it; {there}"
    way = "from iogauge_own import way\n@way\ndef a(path):\n    return open(path).read()\n"
    assert listed(way + text, function="_g") == {"g": "nothing"}


def test_a_module_of_a_package_imports_as_it_is_meant_to(listed):
    """Relative to its package, by the package's name, and beside the package."""
    read = "def f(path):\n    return open(path).read()\n"
    files = {f"logs/{each}.py": "" for each in ("__init__", "helper", "deep/__init__")}
    files |= {"beside.py": "", "logs/deep/other.py": ""}
    head = "from .. import helper\nimport logs.helper, beside, other\n"
    place = "logs/deep/reader.py"
    assert listed(head + read, place=place, module="logs.deep.reader", files=files) == AS_TEXT
    wrong = listed(
        f"\nfrom . import no\n{read}", place=place, module="logs.deep.reader", files=files
    )
    assert wrong.startswith("line 2: ImportError: cannot import name 'no' from 'logs.deep'"), wrong
    files |= {"logs/helper.py": "\nx = (\n"}
    wrong = listed(head + read, place=place, module="logs.deep.reader", files=files)
    assert wrong.startswith("helper.py, line 2: "), wrong


def test_a_package_has_what_it_imports_from_its_own_modules(listed):
    files = {
        "logs/reader.py": "from json import load\ndef f(path):\n    return open(path).read()\n"
    }
    text = "from .reader import f\nfrom io import open as g\n"
    assert listed(text, place="logs/__init__.py", module="logs", files=files) == AS_TEXT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1", "no function of a path in it; write def read(path)"),
        ("def main():\n    pass", "main() takes nothing; let it take a path"),
        ("def f(src, dst):\n    pass", "f() needs dst besides a file; give dst a default value"),
        ("def f(a):\n    pass\ndef g(b, n):\n    pass", "only f(a), g(b, n): none opens a file"),
        (
            "import sys\ndef main(argv=None):\n    sys.exit(2)",
            "main() ends the program: line 3: Sys",
        ),
        ("def f(path)\n    pass", "line 1: "),
        ("import nowhere", "line 1: ModuleNotFoundError: No module named 'nowhere'; a Python that"),
        ("raise SystemExit(3)", "line 1: SystemExit: 3"),
    ],
)
def test_why_there_is_none(listed, text, says):
    assert says in listed(text)


def test_a_function_is_called_as_it_was_tried(called):
    """And as declared, where it hands over what it read."""
    count = "    n = 0\n    for line in {}:\n        n += 1\n    return n"
    numbers = [
        called(f"def f(path):\n{count.format('open(path)')}"),
        called(f"from pathlib import Path\ndef f(p: Path):\n{count.format('p.open()')}"),
        called(f"def f(p):\n{count.format('p.open()')}"),
        called(f"def f(fp):\n{count.format('fp')}"),
        called(f"async def f(path):\n{count.format('open(path)')}"),
        called("def f(stream):\n    return stream.read(1 << 20).count(bytes([10]))"),
    ]
    assert len({str(each) for each in numbers}) == 1 and isinstance(numbers[0], tuple), numbers
    assert called("def f(path):\n    return open(path)", sums="line") == ([2], [len(TEXT) - 2])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "import sys\ndef f(path):\n    open(path)\n    sys.exit(4)",
            "f() ends the program: line 4: S",
        ),
        ("def f(path):\n    open(path)\n    raise KeyError('x')", "line 3: KeyError: 'x'"),
        ("def f(path):\n    open(path)\n    return input()", "line 3: EOFError"),
        ("def f(path):\n    open(path)\n    1 / 0", "line 3: ZeroDivisionError"),
    ],
)
def test_what_a_function_does_wrong_is_one_line(called, text, says):
    found = called(text)
    assert isinstance(found, str) and found.startswith(says), found


def test_its_processes_find_its_worker_however_they_are_started(called):
    for how in ("fork", "spawn"):
        text = f"""import multiprocessing
def work(path):
    return len(open(path).read())
def f(path, n=2):
    with multiprocessing.get_context("{how}").Pool(n) as pool:
        return sum(pool.map(work, [path] * n))
"""
        found = called(text, function="f")
        assert isinstance(found, tuple), (how, found)


def test_trying_has_a_limit_of_its_own(asked, runner):
    """One that goes on all the same, and one behind it, count as returning anything."""
    trial = runner / "harness" / "trial.py"
    known = trial.read_text()
    text = """import time
def f(path):
    data = open(path).read()
    while True:
        try:
            time.sleep(60)
        except Exception:
            pass
def g(path):
    return open(path).read()
"""
    try:
        trial.write_text(known.replace("_SECONDS = 10.0", "_SECONDS = 0.3"))
        (answer,) = asked(text)
    finally:
        trial.write_text(known)
    own = {each["name"]: each["sums"] for each in answer["strategies"] if "/own-" in each["name"]}
    assert own == {"python/own-f": "nothing", "python/own-g": "nothing"}


def test_what_was_found_is_kept_for_the_forks(asked, again, runner):
    """Other processes call a function only when they are asked to."""
    marks = runner / "marks"
    marks.unlink(missing_ok=True)
    text = f"""def f(path):
    open({str(marks)!r}, "a").write("x")
    return open(path).read()
"""
    asked(text)
    assert marks.read_text() == "x"
    (answer,) = again({"verb": "list"})
    names = [each["name"] for each in answer["strategies"]]
    assert "python/own-f-as-result" in names and marks.read_text() == "x"


CHANGE = (
    "def f(path):\n    open(path, 'a').write('x')",
    "def f(path):\n    data = open(path).read()\n    open(path, 'w').write(data)\n    return data",
    "def f(path):\n    file = open(path, 'r+')\n    yield from file\n    file.truncate(0)",
    "def f(path):\n    open(path, 'r+').truncate(0)\nf.returns = 'bytes'",
    "def f(path):\n    open(path, 'w')\n    raise KeyError",
    "import os\ndef f(path):\n    data = open(path).read()\n    os.remove(path)\n    return data",
    "from pathlib import Path\ndef f(path: Path):\n    path.write_text(path.read_text() * 2)",
)


@pytest.mark.parametrize("text", CHANGE)
def test_a_function_that_changes_what_it_is_tried_on_is_refused_beside_others(asked, listed, text):
    """With the same bytes, too, and whatever it declares or raises."""
    says = "f() changes the file that it is given; iogauge measures only what reads"
    assert listed(text) == says
    (answer,) = asked(f"{text}\ndef g(path):\n    return open(path).read()\n")
    found = {each["name"]: each["unavailable"] for each in answer["strategies"]}
    own = {name: why for name, why in found.items() if "/own-" in name}
    assert own == {"python/own-f": says, "python/own-g": None, "python/own-g-as-result": None}


def test_one_that_reads_nothing_beside_others_is_told(asked):
    """But not methods, of which many do something else."""
    text = """import os
def size(path):
    return os.path.getsize(path)
def g(path):
    return open(path).read()
class Log:
    def __init__(self, path):
        self.path = path
    def name(self):
        return len(str(self.path))
"""
    (answer,) = asked(text)
    found = {each["name"]: each["unavailable"] for each in answer["strategies"]}
    own = {name.removeprefix("python/own-"): why for name, why in found.items() if "/own-" in name}
    says = "size() was not seen to read its file; to measure it all the same: PATH:size"
    assert own == {"size": says, "g": None, "g-as-result": None}


def test_a_function_that_does_not_say_that_it_takes_a_file_may_change_one(listed):
    text = "def f(x):\n    open(x, 'w').write('x')\n"
    assert listed(text).startswith("f() changes the file that it is given")
    found = listed(f"{text}def g(x):\n    return open(x).read()\n")
    assert found == {"f": "nothing", "g": "codepoint", "g-as-result": "nothing"}


def test_functions_whose_names_are_alike_get_a_number(listed):
    text = """class Log:
    @staticmethod
    def read(path):
        return len(open(path).read())
def log_read(path):
    return open(path).read()
def log_read_2_as_result(path):
    return len(open(path).read())
"""
    kinds = {"log-read": "nothing", "log-read-2": "codepoint", "log-read-2-as-result": "nothing"}
    assert listed(text) == kinds | {"log-read-2-as-result-2": "nothing"}


def test_what_failed_as_it_was_tried_is_tried_again_when_it_is_listed_again(asked, again, runner):
    """Forks, which list nothing, take it as it was."""
    network = runner / "network"
    network.unlink(missing_ok=True)
    text = f"def f(path):\n    open({str(network)!r})\n    return open(path).read()\n"
    asked(text)
    network.touch()
    opening = {"verb": "open", "strategy": "python/own-f-as-result"}
    (answer,) = again(opening)
    assert answer["error"] == "unknown strategy: 'python/own-f-as-result'"
    (answer,) = again({"verb": "list"})
    assert "python/own-f-as-result" in [each["name"] for each in answer["strategies"]]
    (answer,) = again(opening)
    assert not answer["error"].startswith("unknown strategy")


@pytest.fixture
def started(runner):
    """Starts the runner, which lists functions in such code, until one of these is in its trial:
    then it makes this file. Its answers can be read.
    """
    marks = runner / "marks"

    def start(text):
        shutil.rmtree(runner / "own", ignore_errors=True)
        (runner / "own").mkdir()
        marks.unlink(missing_ok=True)
        (runner / "own" / "code.py").write_text(text.replace("MARKS", repr(str(marks))))
        command = [sys.executable, "-E", "-B", runner / "main.py"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        process.stdin.write('{"verb": "list"}\n')
        process.stdin.flush()
        until = time.monotonic() + 20
        while not marks.exists() and time.monotonic() < until:
            time.sleep(0.01)
        return process

    return start


def test_what_a_killed_trial_left_is_removed_by_the_next(started, again, runner):
    text = """import os, time
def f(path):
    if not os.path.exists(MARKS):
        open(MARKS, "w")
        time.sleep(60)
    return open(path).read()
"""
    with started(text) as process:
        process.kill()
    left = [*(runner / "own").glob("tried-*.txt")]
    assert len(left) == 1
    again({"verb": "list"})
    assert not [*(runner / "own").glob("tried-*.txt")]


def test_time_in_which_the_process_stands_still_is_no_time_of_a_trial(started, runner):
    trial = runner / "harness" / "trial.py"
    known = trial.read_text()
    changed = known.replace("_SECONDS = 10.0", "_SECONDS = 1.5").replace(
        "_TICK = 1.0", "_TICK = 0.1"
    )
    text = """import time
def f(path):
    data = open(path).read()
    open(MARKS, "w")
    time.sleep(0.3)
    return data
"""
    try:
        trial.write_text(changed)
        with started(text) as process:
            process.send_signal(signal.SIGSTOP)
            time.sleep(2.0)
            process.send_signal(signal.SIGCONT)
            answer, _ = process.communicate(timeout=30)
    finally:
        trial.write_text(known)
    assert "python/own-f-as-result" in answer, "it had its time, and returned a text"
