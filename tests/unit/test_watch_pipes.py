"""Writes of a few bytes to a pipe: a fault, unless somebody may wait for each of them."""

from __future__ import annotations

import pytest

from iogauge.host.proctree import Did
from iogauge.host.strace import Call
from iogauge.model.watched import Amounts, Finding
from iogauge.outputs import watch_words
from iogauge.watching import candidates, estimating, findings
from iogauge.watching.estimating import Estimate, Group
from iogauge.watching.findings import Means
from iogauge.watching.recognising import SHELL, Facts
from iogauge.watching.rough import ROUGH
from iogauge.watching.watcher import Account, Seen, Window
from tests import watch_records as records

MINE = ("count", "")
FACTS = Facts("/home/me/count", "count", "c", own=True)
MANY = 2_000_000


def group(name: str, target: str, count: float, size: int = 0) -> Group:
    path = "/x/data" if target == "file" else f"{target}:[7]"
    return Group(MINE, name, path, target, count=count, bytes=count * size, seen=50)  # type: ignore[arg-type]


def told(*groups: Group) -> list[candidates.Candidate]:
    made = Estimate({(MINE, each.name, each.path): each for each in groups}, {}, [])
    return candidates.candidates(made, ROUGH)


def found(facts: Facts = FACTS, busy: float = 1.0, size: int = 3) -> list[Finding]:
    some = told(group("write", "pipe", MANY, size))
    means = Means(lambda asked: None, lambda name, kind: None, ROUGH)
    total = Amounts(user=busy / 2, system=busy / 2)
    return findings.findings(some, {MINE: (0, facts)}, [], total, 1.0, means).findings


def test_unbuffered_output_into_a_pipe_is_found():
    (one,) = found()
    assert (one.kind, one.basis, one.at_least) == ("small-writes", "constants", True)
    assert one.change is not None and "pipe" in one.change.text
    said = watch_words.does(one, records.one_finding)
    assert said == "about 2 000 000 writes of 3 B to a pipe"


@pytest.mark.parametrize(
    ("facts", "busy"),
    [
        (Facts("/usr/bin/seq", "seq", "c"), 1.0),
        (Facts("/home/me/odd", "odd", None, own=True), 1.0),
        (Facts("/bin/sh", "sh", SHELL.language, "x.sh", own=True), 1.0),
        (FACTS, 0.1),
    ],
)
def test_but_not_where_nobody_can_buffer_or_the_reader_is_slow(facts, busy):
    assert found(facts, busy) == []


@pytest.mark.parametrize(
    "other",
    [
        group("read", "pipe", MANY, 3),
        group("read", "socket", MANY, 3),
        group("read", "terminal", MANY / 10, 3),
        group("poll", "pipe", MANY),
    ],
)
def test_nor_where_it_takes_turns_with_somebody(other):
    assert told(group("write", "pipe", MANY, 3), other) == []


def test_nor_where_pieces_are_larger_than_a_line_or_hardly_seen():
    assert told(group("write", "pipe", MANY, 4096)) == []
    unseen = group("write", "pipe", MANY, 3)
    unseen.seen = 1
    assert told(unseen) == []


def test_what_it_reads_from_a_file_is_no_turn():
    some = told(group("write", "pipe", MANY, 3), group("read", "file", MANY / 4, 1 << 17))
    assert [each.to_pipe for each in some] == [True]


def test_nor_where_it_waits_until_somebody_reads():
    did = Did(0, MANY, 0, 3 * MANY, 0, 0)
    call = Call(1, "write", "1<pipe:[7]>", 3, 0.001)
    for waited, refused, many in ((0.0, set(), 1), (0.5, set(), 0), (0.0, {1}, 0)):
        seen = Seen(accounts=[Account(1.0, {1: did})], facts={1: FACTS}, refused=refused)
        seen.windows = [Window(0.5, 0.01, [call] * 9, {1: 1})]
        seen.waited[1, "write", "pipe:[7]"] = waited
        made = estimating.estimate(seen, Amounts(write_calls=MANY, written_bytes=3 * MANY), 1.0)
        assert len(candidates.candidates(made, ROUGH)) == many
