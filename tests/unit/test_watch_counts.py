"""Counts of a watch: what was counted is exact, and what windows say is said to be an estimate."""

from __future__ import annotations

import pytest

from iogauge.model.watched import Amounts
from iogauge.outputs import watch_words, watched
from iogauge.watching import candidates, estimating
from iogauge.watching.estimating import Estimate, Group
from iogauge.watching.rough import ROUGH
from tests import watch_records as records

MINE = ("convert", "")


def one(reads: int, counted: int, *, exact: bool = False) -> candidates.Candidate:
    """What is told of so many reads of a file, where the kernel counted so many."""
    group = Group(MINE, "read", "/a", "file", count=reads, bytes=reads * 100, seen=90)
    total = Amounts(read_calls=counted)
    made = Estimate({(MINE, "read", "/a"): group}, {}, [], total=total, exact=exact)
    (only,) = candidates.candidates(made, ROUGH)
    return only


def test_the_account_and_a_trace_count():
    assert not one(10_000, 10_000).about
    assert one(9_731, 10_000).about
    assert not one(9_731, 10_000, exact=True).about


def test_an_estimate_keeps_the_account_that_it_follows_from():
    from iogauge.watching.watcher import Seen

    total = Amounts(read_calls=7)
    assert estimating.estimate(Seen(), total, 1.0).total == total


@pytest.mark.parametrize(
    ("finding", "says"),
    [
        (records.SYNCED.model_copy(update={"calls": 2668.0}), "durable about 2 700 times"),
        (records.OPENED.model_copy(update={"calls": 39_299.0}), "opened about 39 000 times"),
        (records.SMALL_READS.model_copy(update={"calls": 38.4}), "about 38 reads"),
    ],
)
def test_estimates_have_two_digits_and_say_so(finding, says):
    said = watch_words.does(finding.model_copy(update={"about": True}), records.one_finding)
    assert says in said
    assert "about" not in watch_words.does(finding, records.one_finding)


def test_calls_that_only_windows_saw_are_estimates_on_the_page():
    polls = records.one_finding.calls[0].model_copy(update={"name": "poll", "count": 9542.0})
    record = records.watched(calls=(polls,))
    assert "about 9 500 poll" in watched.page(record)
    assert "9 542 poll" in watched.page(record.model_copy(update={"traced": True}))
