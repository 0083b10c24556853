"""Code in Python as strangers write it: each file of tests/strangers/python gives the numbers, or the
one line, that tests/strangers/expected.toml has for it.
"""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from strangers import elsewhere

STRANGERS = Path(__file__).parents[1] / "strangers"
EXPECTED = tomllib.loads((STRANGERS / "expected.toml").read_text("utf-8"))["python"]
QUICK = ("helpers", "path_or_text", "cached")  # of `make test`


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works: the code, and a file of each kind."""
    shutil.copytree(STRANGERS / "python", folder, dirs_exist_ok=True)
    lines = (f"2026-01-01 {'ERROR' if i % 7 else 'INFO'} request {i % 90}\n" for i in range(9000))
    (folder / "log").write_text("".join(lines))
    rows = (f"{i % 90},{i / 8}\n" for i in range(9000))
    (folder / "csv").write_text("id,amount\n" + "".join(rows))
    objects = (json.dumps({"id": i, "name": "x" * (i % 30)}) for i in range(9000))
    (folder / "jsonl").write_text("\n".join(objects) + "\n")
    monkeypatch.chdir(folder)
    return folder


def said(done) -> str:
    return " ".join(f"{done.stdout} {done.stderr}".split())


def cases(iogauge) -> dict[str, list[float | None]]:
    """By what functions are called the times of the newest run, cached and from disk."""
    found = {}
    for group in json.loads(iogauge("show", "--json").stdout)["groups"]:
        for case in group["cases"]:
            center = case["ns_per_op"]["center"] if case["ns_per_op"] else None
            found.setdefault(case["known_as"], []).append(center)
    return found


def named(name: str) -> list:
    return [] if name in QUICK else [pytest.mark.long]


@pytest.mark.real
@pytest.mark.parametrize("name", [pytest.param(each, marks=named(each)) for each in EXPECTED])
def test_code_of_a_stranger(iogauge, here, name):
    expected = EXPECTED[name]
    before = sorted(str(each) for each in here.rglob("*"))
    own = expected.get("own", f"{name}.py")
    # Others measure in the usual folder meanwhile.
    words = [expected["file"], "--own", own, "--budget", "1s", "--dir", elsewhere(here)]
    done = iogauge(*words)
    if "needs" in expected and f"No module named '{expected['needs']}'" in done.stderr:
        pytest.skip(f"no {expected['needs']}")
    assert "Traceback" not in said(done)
    assert sorted(str(each) for each in here.rglob("*")) == before
    if "says" in expected:
        assert expected["says"] in said(done) and done.returncode in (2, 3), said(done)
        return
    assert done.returncode == 0, said(done)
    found = cases(iogauge)
    for function in expected["numbers"]:
        assert all(found[f"{function}(path)"]), found


@pytest.mark.real
@pytest.mark.long
def test_a_function_that_returns_other_lines_is_measured_by_its_result(iogauge, here):
    """And said so, in the output and beside the case; one that returns the lines is compared with
    other ways to read them.
    """
    text = """def stripped(path):
    return [line[1:] for line in open(path)]
def without_info(path):
    return [line for line in open(path) if "INFO" not in line]
def lines(path):
    return list(open(path))
"""
    (here / "mine.py").write_text(text)
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    own = "measured as a result of its own"
    assert f"stripped(path): it returns other lines than the file's: {own}." in said(done)
    counts = "without_info(path): it returns 7 714 lines, the file has 9 000"
    assert f"{counts}: {own}." in said(done)
    exported = json.loads(iogauge("show", "--json").stdout)
    groups = {
        case["known_as"]: (case["strategy"], group["id"], case["caveats"])
        for group in exported["groups"]
        for case in group["cases"]
    }
    strategy, group, caveats = groups["stripped(path)"]
    assert strategy == "python/own-stripped-as-result" and group.startswith("untold")
    assert f"it returns other lines than the file's: {own}" in caveats
    strategy, group, _ = groups["lines(path)"]
    assert strategy == "python/own-lines" and group.startswith("line")


@pytest.mark.real
@pytest.mark.long
def test_a_function_that_declares_to_return_lines_is_refused_for_others(iogauge, here):
    text = (
        "def first(path):\n    return [line[:4] for line in open(path)]\nfirst.returns = 'lines'\n"
    )
    (here / "mine.py").write_text(text)
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert done.returncode == 3 and "first(path) failed: wrong sum" in said(done), said(done)


@pytest.mark.real
@pytest.mark.long
def test_a_function_that_declares_lines_is_told_what_else_ends_one(iogauge, here):
    (here / "next.log").write_text("one\x85two\nthree\n" * 3000, encoding="utf-8")
    text = "def read(path):\n    return open(path, encoding='utf-8').read().splitlines()\n"
    (here / "mine.py").write_text(f"{text}read.returns = 'lines'\n")
    done = iogauge("next.log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    says = "wrong count: 9000 lines reported, 6000 are right (it also ends lines at U+0085)"
    assert done.returncode == 3 and f"read(path) failed: {says}" in said(done), said(done)


@pytest.mark.real
@pytest.mark.long
def test_one_that_fails_beside_one_that_works_is_left_out_and_told(iogauge, here):
    """It is called once: one that is too slow does not take its limit again."""
    calls = here / "calls"
    text = f"""import time
def size(path):
    return len(open(path).read())
def slow(path):
    if len(open(path).read()) > 100:
        open({str(calls)!r}, "a").write("x")
        time.sleep(60)
"""
    (here / "mine.py").write_text(text)
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s", "--limit", "3s")
    assert calls.read_text() == "x"
    why = "slow(path): a call took longer than 3 s and was ended; a larger --limit gives it longer"
    assert done.returncode == 3 and f"not measured: {why}" in said(done), said(done)
    assert [*cases(iogauge)] == ["size(path)"]


@pytest.mark.real
@pytest.mark.long
def test_a_mapping_that_is_kept_is_read_each_time(iogauge, here):
    """The kernel counts neither calls nor page faults of it, and what it holds is right."""
    text = """import mmap
kept = {}
def mapped(path):
    if path not in kept:
        with open(path, "rb") as file:
            kept[path] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return kept[path]
"""
    (here / "mine.py").write_text(text)
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert "reads nothing" not in said(done), said(done)
    assert any(cases(iogauge)["mapped(path)"])


@pytest.mark.real
def test_the_check_takes_what_was_only_tried_out_for_what_it_returns(iogauge, here):
    """Some of the lines are a result; who returns all of them must do so of each file."""
    some = "def first(path):\n    return [line.split(' ')[0] for line in open(path)]\n"
    (here / "mine.py").write_text(some)
    done = iogauge("check", "mine.py")
    assert done.returncode == 0, said(done)
    every = "def every(path):\n    lines = list(open(path))\n    lines[0]\n    return lines\n"
    (here / "mine.py").write_text(every)
    done = iogauge("check", "mine.py")
    assert done.returncode == 1 and "own-every: reads, " in said(done), said(done)


@pytest.mark.real
def test_a_function_is_chosen_by_its_name(iogauge, here):
    done = iogauge("log", "--own", "helpers.py:serial_reed")
    there = "there are: is_valid, chunked, clean, serial_read"
    says = f"iogauge: --own helpers.py:serial_reed: no function serial_reed in it; {there}\n"
    assert done.returncode == 2 and done.stderr.endswith(says), done.stderr
    done = iogauge("log", "--own", "static_method.py:FileUtils.md5", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0 and set(cases(iogauge)) == {"FileUtils.md5(path)"}


@pytest.mark.real
def test_of_several_functions_one_that_reads_nothing_has_no_number(iogauge, here):
    text = (here / "cached.py").read_text()
    (here / "mine.py").write_text(
        f"{text}\ndef count(path):\n    return sum(1 for _ in open(path))\n"
    )
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert "load(path): it reads nothing of the file" in said(done)
    assert re.search(r"load\(path\)\s+no number", done.stdout), done.stdout
    found = cases(iogauge)
    assert not any(found["load(path)"]) and all(found["count(path)"]), found


@pytest.mark.long
@pytest.mark.real
def test_a_function_that_keeps_the_lines_it_read_has_no_number(iogauge, here):
    """Though these are right each time."""
    text = (
        "import functools\n@functools.cache\ndef load(path):\n    return open(path).readlines()\n"
    )
    (here / "mine.py").write_text(text)
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    assert "load(path): it reads nothing of the file" in said(done)
    assert not any(cases(iogauge)["load(path)"])


@pytest.mark.long
@pytest.mark.real
@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_code_is_measured_in_the_encoding_that_it_was_written_for(iogauge, here, encoding):
    """What it was tried on is no UTF-16, so that what it returns of that is not known."""
    (here / "old.txt").write_text("Grüße aus Köln\n" * 5000, encoding=encoding)
    text = f"def read(path):\n    return open(path, encoding={encoding!r}).readlines()\n"
    (here / "mine.py").write_text(text)
    done = iogauge("old.txt", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert done.returncode == 0, said(done)
    told = "it returns lines, and the file is no text in UTF-8: measured as" in said(done)
    assert told == (encoding == "latin-1")
    assert all(cases(iogauge)["read(path)"])


@pytest.mark.real
@pytest.mark.long
def test_two_versions_that_return_different_things_are_compared_by_their_results(iogauge, here):
    (here / "old.py").write_text("def f(path):\n    yield from open(path)\n")
    (here / "new.py").write_text("def f(path):\n    return open(path, 'rb').read()\n")
    done = iogauge(
        "log", "--own", "old=old.py", "--own", "new=new.py", "--dir", ".", "--budget", "1s"
    )
    assert done.returncode == 0, said(done)
    assert "it returns lines in old and bytes in new: measured as a result of its own" in said(done)
    assert "Python (old)" in done.stdout and "Python (new)" in done.stdout


@pytest.mark.long
@pytest.mark.real
def test_the_first_call_is_told_where_it_takes_long(iogauge, here):
    """Before the budget is found too short for it."""
    text = "import time\ndef slow(path):\n    time.sleep(2.5)\n    return len(open(path).read())\n"
    (here / "mine.py").write_text(f"# {here}\n{text}")  # that nobody tried before
    done = iogauge("log", "--own", "mine.py", "--dir", ".", "--budget", "1s")
    assert "waiting for slow(path), its first call\n" in done.stderr, done.stderr
    assert done.stderr.count("trying functions of mine.py\n") == 1, done.stderr
    assert done.returncode == 2 and "as one call of " in done.stderr, done.stderr


@pytest.mark.real
def test_where_every_function_fails_the_reason_is_one_line(iogauge, here):
    (here / "mine.py").write_text("def f(path):\n    return open(path).read()['id']\n")
    done = iogauge("log", "--own", "mine.py")
    *_, last = done.stderr.splitlines()
    assert done.returncode == 2 and not done.stdout, said(done)
    assert last.startswith("iogauge: --own mine.py: f(path): line 2: TypeError: string"), last
