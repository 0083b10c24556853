"""Which functions of a user's Python module are measured, how they are called, and what they return:
as the runner lists and calls them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
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
def asked(runner):
    """Asks the runner, with such code and what the host tells of it, for its answers."""

    def ask(text, *requests, place="code.py", files=(), **words):
        own = runner / "own"
        shutil.rmtree(own, ignore_errors=True)
        for name, content in {**dict(files), place: text}.items():
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text(content)
        for name, said in words.items():
            (own / f"{name}.txt").write_text(said)
        lines = "".join(f"{json.dumps(each)}\n" for each in ({"verb": "list"}, *requests))
        done = subprocess.run(
            [sys.executable, "-E", "-B", runner / "main.py"],
            input=lines,
            capture_output=True,
            text=True,
            timeout=60,
        )
        left = [each.name for each in own.glob("tried-*.txt")]
        assert done.returncode == 0 and not left, done.stderr + str(left)
        return [json.loads(line) for line in done.stdout.splitlines()]

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
        ("def f(src, dst):\n    pass", "f() needs dst besides a path; give it a default value"),
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


def test_what_was_found_is_kept_for_the_forks(asked, runner):
    """Other processes call a function only when they are asked to."""
    marks = runner / "marks"
    marks.unlink(missing_ok=True)
    text = f"""def f(path):
    open({str(marks)!r}, "a").write("x")
    return open(path).read()
"""
    asked(text)
    assert marks.read_text() == "x"
    lines = '{"verb": "list"}\n'
    again = [sys.executable, "-E", "-B", runner / "main.py"]
    done = subprocess.run(again, input=lines, capture_output=True, text=True, timeout=60)
    assert "python/own-f-as-result" in done.stdout and marks.read_text() == "x"


def test_a_function_may_write_what_it_is_tried_on(listed):
    text = "def f(path):\n    with open(path, 'r+') as file:\n        data = file.read()\n"
    text += "        file.truncate(0)\n    return data\n"
    text += "def g(path):\n    return open(path).read()\n"
    assert listed(text) == AS_TEXT | {"g": "codepoint", "g-as-result": "nothing"}
