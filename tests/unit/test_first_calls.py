"""Which of a function's two strategies is measured, after its first call on the user's file; and
that one which reads nothing has no number.
"""

from __future__ import annotations

import pytest

from iogauge.analysis import report, unread
from iogauge.analysis.caveats import READS_NOTHING
from iogauge.analysis.status import statuses
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring.first_calls import FirstCall, choose
from iogauge.outputs import headings, terminal
from tests.reports import declared, runtime
from tests.runs import add_sample, empty_run, end_replicate

TEXT = b"one \ntwo\r\nthree"
LINES = (3, 12)
RESULT = "measured as a result of its own"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "file").write_bytes(TEXT)
    return OwnFile(tmp_path / "file")


def call(sums="line-codepoint", seen=LINES, *, version="python-1", tried=True, failure=None):
    own = declared("python/own-f", sums=sums, consumes=("none", "sum"))
    result = {"sums": "nothing", "consumes": ("none",), "instead_of": own.name}
    every = [own, *([declared("python/own-f-as-result", **result)] if tried else [])]
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


def test_one_that_fails_is_left_to_fail_as_it_is_measured(file):
    assert chosen(file, call(failure="line 3: KeyError")) == ({"python-1": "f"}, {})


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


def own_run(fake, read: list[int], calls: int, replicates: int = 5):
    """A run of the user's functions, of which those at these places read."""
    run = empty_run(fake, 10, 20)
    (known,) = run.header.runtimes
    names = {each: each.replace("fake/", "fake/own-") for each in known.strategies}
    own = {
        names[name]: each.model_copy(update={"name": names[name]})
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
            evidence = {"syscr": 1 + calls * (case in read), "rchar": 1 << 20, "minor_faults": 0}
            evidence |= {"user_ns": 0, "system_ns": 0}
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


def test_a_function_that_reads_reads_under_other_conditions_too(fake):
    """Of what goes through a ring the kernel counts no calls while the file is cached."""
    run = own_run(fake, read=[0, 1, 2], calls=200)
    assert unread.cases(run) == {}
