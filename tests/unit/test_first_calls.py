"""Which of a function's two strategies is measured, after its first call on the user's file; and
that one which reads nothing has no number.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from iogauge.analysis import report, unread
from iogauge.analysis.caveats import NEVER_OPENS, READS_NOTHING, reads_a_part, reads_nothing
from iogauge.analysis.status import statuses
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring import first_calls, unchanged
from iogauge.measuring.first_calls import FirstCall, choose
from iogauge.model.errors import UserError
from iogauge.model.plan import ReplicateId
from iogauge.model.workload import Conditions
from iogauge.outputs import headings, terminal
from iogauge.planning.options import Machine
from iogauge.runfile.records import Fork, in_part
from iogauge.runners import wire
from iogauge.runners.fork import Launch
from iogauge.runners.live_fork import Failure, LiveFork
from iogauge.runners.preparing import Ready
from iogauge.runners.task import Task
from tests.reports import case_evidence, declared, runtime
from tests.runs import add_sample, empty_run, end_replicate

TEXT = b"one \ntwo\r\nthree"
LINES = (3, 12)
RESULT = "measured as a result of its own"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "file").write_bytes(TEXT)
    return OwnFile(tmp_path / "file")


def call(
    sums="line-codepoint", seen=LINES, *, version="python-1", tried=True, failure=None, name="f"
):
    own = declared(f"python/own-{name}", sums=sums, consumes=("none", "sum"))
    result = {"sums": "nothing", "consumes": ("none",), "instead_of": own.name}
    every = [own, *([declared(f"{own.name}-as-result", **result)] if tried else [])]
    count, total = seen
    return FirstCall(runtime(version, every, version="1"), own, 1e-3, count, total, failure)


def chosen(file, *calls):
    """What is left out of which runtime, and what is said."""
    found = choose(calls, file)
    left = {where: name.removeprefix("python/own-") for where, name in sorted(found.left_out)}
    return left, {where: text for (where, _), text in found.remarks.items()}


def test_a_function_that_returns_what_the_file_holds_is_measured_so(file):
    for sums, seen in {
        "line-codepoint": LINES,
        "byte": (len(TEXT), sum(TEXT)),
        "codepoint": (len(TEXT), sum(TEXT) - (1 << 64)),
    }.items():
        assert chosen(file, call(sums, seen)) == ({"python-1": "f-as-result"}, {})


@pytest.mark.parametrize(
    ("sums", "seen", "says"),
    [
        ("line-codepoint", (3, 11), "other lines than the file's"),
        ("line-codepoint", (2, 12), "2 lines, the file has 3"),
        ("byte", (8, 1), "8 bytes, the file has 15"),
        ("line-codepoint", (1, 4), "1 line, the file has 3"),
        ("codepoint", (14, 1), "14 characters, the file has 15"),
        ("codepoint", (15, 1), "other text than the file's"),
    ],
)
def test_one_that_returns_something_else_is_measured_by_its_result(file, sums, seen, says):
    left, remarks = chosen(file, call(sums, seen))
    assert left == {"python-1": "f"}
    assert remarks == {"python-1": f"it returns {says}: {RESULT}"}


def test_what_is_much_shorter_than_the_file_is_a_result_without_a_word(file):
    for sums in ("byte", "codepoint"):
        assert chosen(file, call(sums, (7, 1))) == ({"python-1": "f"}, {})


def test_one_that_failed_is_not_measured_at_all(file):
    """Beside one that works, whatever the other's strategies are called."""
    failed = call(failure="line 3: KeyError")
    found = choose([failed, call(name="g")], file)
    names = {name.removeprefix("python/own-") for _, name in found.left_out}
    assert names == {"f", "f-as-result", "g-as-result"}
    assert found.failed == ["python/own-f: line 3: KeyError"] and not found.refused
    of_version = [call(version=each, failure="f() ends") for each in ("python-old", "python-new")]
    says = [f"python/own-f: f() ends in {each}" for each in ("old", "new")]
    assert choose([call(name="g"), *of_version], file).failed == says


def test_one_that_works_only_by_its_result_is_measured_so(file):
    works = call("nothing", (0, None))
    works = replace(works, strategy=works.as_result)
    assert chosen(file, works) == ({"python-1": "f"}, {})


def test_text_of_a_file_that_is_none_is_a_result(tmp_path):
    (tmp_path / "file").write_bytes("Köln\n".encode("latin-1"))
    left, remarks = chosen(OwnFile(tmp_path / "file"), call("codepoint", (5, 500)))
    says = "it returns text, and the file is no text in UTF-8"
    assert left == {"python-1": "f"} and remarks == {"python-1": f"{says}: {RESULT}"}


def test_what_is_declared_stays_as_it_is(file):
    assert chosen(file, call(seen=(1, 1), tried=False)) == ({}, {})


def test_versions_are_measured_alike(file):
    both = "it returns lines in old and bytes in new"
    old = call(version="python-old")
    new = call("byte", (len(TEXT), sum(TEXT)), version="python-new")
    left, remarks = chosen(file, old, new)
    assert left == {"python-old": "f", "python-new": "f"}
    assert set(remarks.values()) == {f"{both}: {RESULT}"}
    left, remarks = chosen(file, old, call(seen=(1, 1), version="python-new"))
    assert left == {"python-old": "f", "python-new": "f"}
    assert remarks["python-old"] == f"{RESULT}, as another version of it is"


OWN = """
import json, os, sys, time
mode, log = sys.argv[1:]
for line in sys.stdin:
    asked = json.loads(line)
    if asked["verb"] == "open":
        name, reply = asked["strategy"], {"verb": "open"}
    elif asked["verb"] == "release":
        reply = {"verb": "release"}
        if mode == "breaks":
            sys.exit(1)
    else:
        (path,) = asked["paths"]
        print(name, path, file=open(log, "a"))
        none = dict.fromkeys(("allocated_bytes", "gc_ns", "gc_count"))
        reply = {"verb": "sample", "ns": [7], "operations": [1], "count": [0], "sum": None}
        reply["counters"] = none
        if mode == "appends":
            open(path, "a").write("x")
        if mode == "rewrites":
            text = open(path).read()
            open(path, "w").write(text)
        if mode == "sets-back":
            known = os.stat(path)
            open(path, "r+").write("X")
            os.utime(path, (known.st_atime, known.st_mtime))
        if mode == "rotates" and "two" in open(path).read():
            os.rename(path, path + ".1")
        if mode == "needs-others" and len(os.listdir(os.path.dirname(path))) < 2:
            reply = {"error": "FileNotFoundError: its index"}
        if mode == "sleeps":
            time.sleep(60)
        if mode == "fails" and not name.endswith("-as-result"):
            reply = {"error": f"{path}: line 1: TypeError"}
    twice = mode == "twice" and asked["verb"] == "sample"
    print(*[json.dumps(reply)] * (1 + twice), sep="\\n", flush=True)
"""


@pytest.fixture
def first_called(file, tmp_path):
    """What comes of the first call of a function that behaves so; and what it was called with."""

    def make(mode, *, tries=False):
        known, log = call().runtime, tmp_path / "log"
        log.unlink(missing_ok=True)
        limits = tuple((each, 0.5) for each in known.strategies)
        command = (sys.executable, "-c", OWN, mode, str(log))
        ready = Ready(known, Launch(command, limits=limits), Path(sys.executable), tries)
        machine = Machine([known], {}, 1 << 34, 2)
        (scratch := tmp_path / "scratch").mkdir(exist_ok=True)
        found = first_calls.make([ready], machine, file, ["python/own-f"], scratch, print)
        return found, [each.split() for each in log.read_text().splitlines()]

    return make


@pytest.mark.parametrize("mode", ["appends", "rewrites"])
def test_a_function_that_changes_a_small_file_is_never_called_with_the_users(
    first_called, file, mode
):
    (found,), log = first_called(mode)
    says = "python/own-f() changes the file that it is given; iogauge measures only what reads"
    assert found.failure == found.told == says
    assert len(log) == 1 and log[0][1] != str(file.path) and file.path.read_bytes() == TEXT
    choice = choose([found], file)
    assert choice.refused == [says] and not choice.failed
    assert {name for _, name in choice.left_out} == {"python/own-f", "python/own-f-as-result"}


@pytest.mark.parametrize("mode", ["rotates", "sets-back"])
@pytest.mark.parametrize("largest", [1 << 20, 4])
def test_one_that_changes_only_such_a_file_is_called_with_a_copy_of_it(
    first_called, file, mode, largest, monkeypatch
):
    """Of one that is too large for a copy, with the first lines."""
    monkeypatch.setattr(unchanged, "_LARGEST", largest)
    (found,), log = first_called(mode, tries=True)
    assert found.refused and file.path.read_bytes() == TEXT
    assert [Path(path).name for _, path in log] == ["file"] and log[0][1] != str(file.path)


def test_a_large_file_is_called_with_after_its_first_lines(first_called, file, monkeypatch):
    monkeypatch.setattr(unchanged, "_LARGEST", 4)
    (found,), ((_, head), (_, whole)) = first_called("reads", tries=True)
    assert found.failure is None and whole == str(file.path) != head
    monkeypatch.setattr(unchanged, "_CUT", 8)
    copy = unchanged.Copy(file, Path(head).parents[1])
    assert copy.path.read_bytes() == b"one \n" and not copy.whole and not copy.is_changed()


def test_what_a_copy_does_not_tell_the_file_does(first_called, file):
    """A function may read others that lie beside its file."""
    (found,), log = first_called("needs-others", tries=True)
    assert found.failure is None and log[-1][1] == str(file.path) and len(log) == 3


def test_what_its_runner_tries_is_not_tried_again(first_called, file):
    for tries in (True, False):
        (found,), log = first_called("reads", tries=tries)
        assert found.failure is None and found.seconds == 7e-9
        *trial, (_, path) = log
        assert Path(path).name == "file" and len(trial) == (0 if tries else 1), log


def test_who_was_called_when_the_file_changed_is_told(file):
    one, other = call().strategy, call(name="g").strategy
    unchanged.must_be(file, [one])
    os.utime(file.path, (1, 1))
    with pytest.raises(UserError, match=r"has changed while .*own-f was called, perhaps by it; "):
        unchanged.must_be(file, [one, one])
    file.path.unlink()
    with pytest.raises(UserError, match=r"was removed while .*own-f and .*own-g were called, per"):
        unchanged.must_be(file, [one, other])


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("breaks", "it returned, but its process ends: exited with status 1"),
        ("twice", "it starts a process that returns, too"),
    ],
)
def test_what_a_function_does_to_its_process_is_told_of_it_and_of_no_other(
    first_called, mode, says
):
    (found,), _ = first_called(mode, tries=True)
    assert found.told.startswith(f"python/own-f: {says}")


def test_a_function_that_fails_is_called_once_more_for_its_result(first_called):
    (found,), log = first_called("fails", tries=True)
    assert found.failure is None and found.strategy is found.as_result
    assert [name for name, _ in log] == ["python/own-f", "python/own-f-as-result"]
    assert len({path for _, path in log}) == 1


def test_one_that_ran_into_its_limit_is_not_called_again(first_called):
    (found,), log = first_called("sleeps", tries=True)
    assert found.told.startswith("python/own-f: a call took longer than 0.5 s") and len(log) == 1


def own_run(
    fake,
    read: list[int],
    calls: int,
    replicates: int = 5,
    first: int | None = None,
    parts: tuple[int, ...] = (),
):
    """A run of the user's functions, of which those at these places read, and some `parts`. Calls of
    the `first` operation of each fork read so many bytes.
    """
    run = empty_run(fake, 10, 20)
    (known,) = run.header.runtimes
    names = {each: each.replace("fake/", "fake/own-") for each in known.strategies}
    own = {
        names[name]: each.model_copy(
            update={"name": names[name], **({"sums": "nothing"} if parts else {})}
        )
        for name, each in known.strategies.items()
    }
    cases = tuple(
        each.model_copy(update={"strategy": names[each.strategy]}) for each in run.plan.cases
    )
    plan = run.plan.model_copy(update={"cases": cases})
    runtimes = (known.model_copy(update={"strategies": own}),)
    run.header = run.header.model_copy(update={"plan": plan, "runtimes": runtimes})
    for replicate in range(replicates):
        for case in run.plan.groups[0].cases:
            whole = 10 * plan.cases[case].workload.size
            moved = whole // 2 if case in parts else whole
            evidence = {"syscr": 1 + calls * (case in read), "rchar": moved, "minor_faults": 0}
            evidence |= {"user_ns": 0, "system_ns": 0}
            forked = {"fork": replicate * len(run.plan.cases) + case, "spec": 0, "layout": 0}
            forked |= {"padding": 0, "warm_up": {}, "alone": {}, "steady": {}}
            run.add(Fork(**in_part(ReplicateId(0, replicate, 0), 0), **forked, first_read=first))
            for number in range(2):
                ns = [1e6 * (1 + case) + number] * 10
                add_sample(run, case, replicate, number, case, ns, evidence=evidence)
        end_replicate(run, replicate)
    return run


def test_a_function_that_reads_nothing_has_no_number_and_is_measured_no_further(fake):
    run = own_run(fake, read=[1], calls=200)
    cases = run.plan.cases
    numbers = run.plan.groups[0].cases
    silent = {each for each in numbers if cases[each].variant == cases[0].variant}
    assert set(unread.cases(run)) == silent
    made = report.make(run)
    (group,) = made.groups
    by_number = {each.case.key: each for each in group.cases}
    assert by_number[cases[0].key].failure == READS_NOTHING
    assert by_number[cases[0].key].ns_per_op is None and by_number[cases[0].key].vs_best is None
    assert by_number[cases[1].key].ns_per_op is not None and by_number[cases[1].key].is_best
    assert not silent & {*statuses(run)[0].live}
    assert made.failures == 0 and terminal.failed(made) == []
    assert any(READS_NOTHING in each for each in headings.unlike(group, run))


def test_where_no_function_reads_there_is_no_answer(fake):
    run = own_run(fake, read=[], calls=0, replicates=1)
    made = report.make(run)
    assert made.failures == 1 and statuses(run)[0].live == ()
    text = "".join(line.plain for line in terminal.Glance(made, "").lines(blocks=False))
    assert "No answer: none of them reads the file." in text


def test_a_function_that_reads_a_part_beside_one_that_reads_all_has_no_number(fake):
    run = own_run(fake, read=[0, 1, 2], calls=200, parts=(0, 2))
    found = unread.cases(run)
    assert set(found) == {0, 2} and not {0, 2} & {*statuses(run)[0].live}
    (says,) = {*found.values()}
    assert re.fullmatch(r"it reads only .* of .*, others read more: no number", says)
    made = report.make(run)
    (group,) = made.groups
    by_number = {each.case.key: each for each in group.cases}
    assert by_number[run.plan.cases[0].key].ns_per_op is None and made.failures == 0
    assert by_number[run.plan.cases[1].key].is_best
    assert any(says in each for each in headings.unlike(group, run))


def test_where_all_functions_read_a_part_these_are_compared(fake):
    assert unread.cases(own_run(fake, read=[0, 1, 2], calls=200, parts=(0, 1, 2))) == {}


@pytest.mark.parametrize(
    ("cache", "seen", "part"),
    [
        ("cold", {"device_read_bytes_per_op": 600.0, "minor_faults_per_op": 9.0}, True),
        ("cold", {"device_read_bytes_per_op": 1000.0, "minor_faults_per_op": 0.0}, False),
        ("warm", {"minor_faults_per_op": 0.0}, True),
        ("warm", {"minor_faults_per_op": 1.0}, False),  # it may map the rest
    ],
)
def test_a_part_is_sure_where_no_mapping_brings_the_rest(fake, cache, seen, part):
    case = empty_run(fake, 10).plan.cases[0]
    case = case.model_copy(
        update={
            "conditions": Conditions(cache=cache),
            "workload": case.workload.model_copy(update={"size": 1000}),
        }
    )
    strategy = call().strategy.model_copy(update={"sums": "nothing"})
    read = {"read_calls_per_op": 1.0, "bytes_per_read_call": 500.0, **seen}
    assert bool(reads_a_part(case, strategy, case_evidence(1e6, **read))) is part


def test_a_function_that_reads_reads_under_other_conditions_too(fake):
    """Of what goes through a ring the kernel counts no calls while the file is cached."""
    run = own_run(fake, read=[0, 1, 2], calls=200)
    assert unread.cases(run) == {}


def test_what_reads_by_a_ring_or_a_kept_mapping_is_no_reading_of_nothing(fake):
    """Its first operation had all of the file, and the kernel counted none of it either."""
    size = own_run(fake, [], 0).plan.cases[0].workload.size
    for first, reads in ((0, True), (size - 1, True), (size, False), (None, False)):
        found = unread.cases(own_run(fake, read=[], calls=0, first=first))
        assert bool(found) != reads, first


def test_what_the_device_read_is_read_however_that_was_done(fake):
    """And from disk it is known where nothing was."""

    def nothing(cache, device, faults):
        case = empty_run(fake, 10).plan.cases[0]
        case = case.model_copy(update={"conditions": Conditions(cache=cache)})
        seen = {"device_read_bytes_per_op": device, "minor_faults_per_op": faults}
        return reads_nothing(case, case_evidence(1e6, **seen))

    assert nothing("cold", 0.0, 0.0) and nothing("cold", 0.0, 9.0)
    assert not nothing("cold", 65536.0, 0.0)
    assert nothing("cold", None, 0.0) and nothing("warm", 0.0, 0.0)
    assert not nothing("warm", 0.0, 9.0)


def test_a_wrong_count_of_lines_is_told_with_what_explains_it(tmp_path):
    (tmp_path / "file").write_text("one\x85two\nthree\n", encoding="utf-8")
    own = OwnFile(tmp_path / "file")
    strategy = call().strategy
    task = Task(strategy, "", {}, own.path, count=2, total=11, explained=own.explained_lines)
    for lines, why in {
        3: "it also ends lines at U+0085",
        1: "if it is to hand over only a",
    }.items():
        said = {"verb": "sample", "ns": [9], "operations": [4], "count": [4 * lines], "sum": [44]}
        counters = dict.fromkeys(("allocated_bytes", "gc_ns", "gc_count"))
        reply = wire.decode("sample", json.dumps({**said, "counters": counters}).encode())
        says = f"{4 * lines} lines reported, 8 are right ({why}"
        with pytest.raises(Failure, match=re.escape(says)):
            LiveFork.verify(None, reply, 4, 1, task)


@pytest.mark.parametrize(
    ("opens", "silent"),
    [
        ([True, False], {1}),
        ([False, True], {0, 2}),
        ([False, False], set()),  # nobody reads it, so that is what is compared
        ([True, None], set()),
        ([True, True], set()),
    ],
)
def test_a_command_that_never_opens_the_file_beside_one_that_does_has_no_number(
    fake, opens, silent
):
    run = empty_run(fake, 10, 20)
    cases = run.plan.cases
    for replicate in range(5):
        for case in run.plan.groups[0].cases:
            known = {cases[case].variant: opens[case % 2]}
            seen = {name: each for name, each in known.items() if each is not None}
            forked = {"fork": replicate * len(cases) + case, "spec": 0, "layout": 0}
            forked |= {"padding": 0, "warm_up": {}, "alone": {}, "steady": {}}
            run.add(Fork(**in_part(ReplicateId(0, replicate, 0), 0), **forked, opens=seen))
            for number in range(2):
                add_sample(run, case, replicate, number, case, [1e6 * (2 - case % 2)] * 10)
        end_replicate(run, replicate)
    assert unread.cases(run) == dict.fromkeys(silent, NEVER_OPENS)
    (group,) = report.make(run).groups
    assert {each.case.key for each in group.cases if each.ns_per_op is None} == {
        cases[each].key for each in silent if not cases[each].control
    }
    best = next(each for each in group.cases if each.is_best)
    assert cases.index(best.case) == (0 if 1 in silent else 1)
