"""The published protocol really is the authors': order of events on the fake runner, and what the
run file says.
"""

from __future__ import annotations

import re

import pytest

from iogauge.analysis import report
from iogauge.claims import scoring
from iogauge.measuring.observed import Observed, joined
from iogauge.model.case import Case
from iogauge.model.errors import UserError
from iogauge.runners import fork as fork_module
from iogauge.runners.wire import Spans
from tests.fake_study import Clock, group, make_plan, steady
from tests.fake_study import measure as measure_all

PUBLISHED = """
[published_protocol]
{protocol}
[[group]]
id = "first"
protocol = "published"
question = "?"
size = ["4K", "8K"]
cache = "as-left"
[[group.case]]
strategy = "fake/steady"
parameters = {{ speed = [30, 10] }}
[[group]]
id = "second"
protocol = "published"
question = "?"
size = "16K"
cache = "as-left"
{more}
[[group.case]]
strategy = "fake/steady"
parameters = {{ speed = 20 }}
"""
WRITTEN = """
[published_protocol]
operations = 5
[[group]]
id = "grows"
protocol = "published"
question = "?"
operation = "write"
size = "4K"
{more}
[[group.case]]
strategy = "fake/writing"
parameters = {{ speed = [10, 20] }}
"""


def published(protocol: str, more: str = "") -> str:
    return PUBLISHED.format(protocol=protocol, more=more)


@pytest.fixture
def events(monkeypatch):
    """Starts of processes, and what they are asked: ("start",), ("open", strategy, speed),
    ("sample", operations, spans, path).
    """
    seen: list[tuple] = []
    started, asked = fork_module.Fork.__init__, fork_module.Fork.send

    def start(self, *arguments, **named):
        seen.append(("start",))
        started(self, *arguments, **named)

    def ask(self, request):
        if request["verb"] == "open":
            seen.append(("open", request["strategy"], request["parameters"]["speed"]))
        elif request["verb"] == "sample":
            name = request["paths"][0].rpartition("/")[2]
            seen.append(("sample", request["operations"], request["spans"], name))
        asked(self, request)

    monkeypatch.setattr(fork_module.Fork, "__init__", start)
    monkeypatch.setattr(fork_module.Fork, "send", ask)
    return seen


def measure(text, fake, folder, **options):
    """One repetition: the clock moves with each look at it, and the budget is short."""
    usual = {"clock": Clock(step=0.001), "budget": 1.0, "protocol": "published"}
    return measure_all(text, fake, folder, **usual | options)


def test_counted_operations_in_one_process_as_declared(fake, folder, events):
    text = published('process = "one"\nuntimed = 3\noperations = 7', "operations = 9")
    done = measure(text, fake, folder)
    repetition = events[: events.index(("start",), 1)] if events.count(("start",)) > 1 else events
    expected = [("start",)]
    cases = [(30, 4096, 7), (10, 4096, 7), (30, 8192, 7), (10, 8192, 7), (20, 16384, 9)]
    for speed, size, operations in cases:
        name = f"bytes-{size}-as-left.data"
        samples = [("sample", count, 1, name) for count in (3, operations)]
        expected += [("open", "fake/steady", speed), *samples]
    assert repetition == expected
    assert not done.run.failed() and all(not fork.warm_up for fork in done.run.forks)
    assert {tuple(each.operations) for each in done.run.samples} == {(7,), (9,)}
    assert done.run.plan.protocol == "published"
    assert all(group.control is None for group in done.run.plan.groups)
    assert report.make(done.run).groups[0].cases[0].ns_per_op is not None


@pytest.mark.parametrize(
    ("process", "starts"), [("one", 1), ("experiment", 2), ("group", 3), ("each", 5)]
)
def test_processes_are_as_many_as_the_authors_had(fake, folder, events, process, starts):
    done = measure(published(f'process = "{process}"\noperations = 2'), fake, folder)
    repetitions = len(done.run.replicates)
    assert {each.layout for each in done.run.forks} == {0}, "the authors had one binary"
    assert events.count(("start",)) == len(done.run.forks) == starts * repetitions


def test_each_strategy_reads_a_file_of_its_own(fake, folder, events):
    more = '\n[[group.case]]\nstrategy = "fake/spoilt"\nparameters = { speed = 5 }\n'
    measure(published('files = "each"\noperations = 1') + more, fake, folder)
    of_second = [event[3] for event in events if event[0] == "sample" and "16384" in event[3]]
    assert of_second[:2] == ["bytes-16384-as-left-copy-1.data", "bytes-16384-as-left-copy-2.data"]


def test_iterations_that_last_some_time(fake, folder, events):
    """Fresh process, warm-ups, iterations; each at least as long as was asked for, in what the fake
    calls time.
    """
    warm_ups = 'warm_ups = 2\nwarm_up = "1ms"'
    text = published(f'process = "each"\n{warm_ups}\niterations = 3\niteration = "5ms"')
    done = measure(text, fake, folder, budget=3600.0)
    assert {each.round for each in done.run.samples} == {0, 1, 2}
    assert all(sum(each.ns) >= 5e6 for each in done.run.samples)
    assert len(done.run.replicates) == 5, "repetitions, as many as the budget allows, at most five"


def test_iterations_in_one_process_begin_with_one_operation_each(fake, folder, events):
    """What another strategy took says nothing of how many operations an iteration has."""
    text = published('process = "one"\niterations = 1\niteration = "5ms"')
    measure(text, fake, folder, budget=3600.0)
    first = [events[number + 1][1] for number, event in enumerate(events) if event[0] == "open"]
    assert len(first) >= 5 and set(first) == {1}


CLAIM = """
[[claim]]
id = "c"
says = "10 is faster than 30."
[[claim.test]]
kind = "faster-than"
groups = "first-8k"
cases = "fake/steady(*speed=10)"
than = "fake/steady(*speed=30)"
"""


def test_a_run_that_was_interrupted_decides_no_claim(fake, folder):
    text = published("operations = 50") + CLAIM
    run = measure(text, fake, folder, clock=Clock(step=1e-9), budget=1000.0).run
    for answer in ("holds", "undecided"):
        assert [each.measured.answer for each in scoring.score(run).judged] == [answer]
        run.ends[-1].reason = "interrupted"


def test_an_iteration_of_several_requests_has_one_evidence():
    """Every request but one costs a read and a write of its own, which are not the operations'; a
    peak is no sum; what is not known stays so.
    """

    def observed(calls: int, peak: int, device: dict[str, int] | None) -> Observed:
        counters = {"allocated_bytes": [7]}
        spans = Spans(ns=[10], operations=[5], count=[50], sum=None, counters=counters)
        evidence = {"syscr": calls, "rchar": 1000, "syscw": 1, "wchar": 40, "user_ns": 3}
        evidence["peak_rss_bytes"] = peak
        return Observed(spans, evidence, {"busy_ns": 2, "running": 1}, device, 4, 1.0, 70, 40)

    requests = (11, 5, {"writes": 1}), (21, 9, None), (31, 7, {"writes": 1})
    merged = joined([observed(*each) for each in requests])
    sums = {"syscr": 61, "rchar": 2860, "syscw": 1, "wchar": 40, "user_ns": 9}
    assert merged.evidence == {**sums, "peak_rss_bytes": 9}
    assert merged.machine == {"busy_ns": 6, "running": 1}
    assert merged.device is None and merged.in_flight_before == 4
    spans = merged.spans
    assert (spans.ns, spans.operations, spans.sum) == ([10] * 3, [5] * 3, None)
    assert spans.counters == {"allocated_bytes": [7] * 3, "gc_ns": None, "gc_count": None}


def test_a_budget_shortens_and_says_so_and_drops_nothing(fake, folder):
    """What takes longer than the budget even so is measured all the same."""

    def caveats(text, budget, name):
        done = measure(text, fake, folder, budget=budget, name=name)
        assert {each.case for each in done.run.samples} == set(range(5))
        return done.run.caveats, " ".join(report.make(done.run).caveats)

    lasting = 'process = "each"\nwarm_ups = 2\nwarm_up = "10s"\niterations = 3\niteration = "20s"'
    found, _ = caveats(published(lasting), 2.0, "short")
    caveats(published(lasting), 1.0, "over")
    (said,) = [each.text for each in found if "instead of" in each.text]
    of_both = r"iterations of 0\.\d+ s instead of 20 s, warm-ups of 0\.\d+ s instead of 10 s"
    assert re.fullmatch(f"{of_both}, to fit the budget", said)
    _, said = caveats(published("untimed = 1000\noperations = 2000"), 0.01, "counted")
    for what in ("untimed operations instead of 1000", "timed operations? instead of 2000"):
        assert re.search(rf"\d {what} in \d+ of \d+ spans, to fit the budget", said)


def long(case: Case) -> int:
    """How long an operation takes, by what the fake runner simulates."""
    return case.workload.size * case.parameters["speed"]


def test_a_budget_leaves_room_for_three_repetitions(fake, folder, monkeypatch):
    """What they differ by is all that is known of how sure a number is. Here time is what the
    operations say they take.
    """
    clock, asked = Clock(step=1e-9), fork_module.Fork.send
    speed = 0

    def ask(self, request):
        nonlocal speed
        if request["verb"] == "open":
            speed = request["parameters"]["speed"]
        elif request["verb"] == "sample":
            size = int(re.search(r"bytes-(\d+)", request["paths"][0])[1])
            clock.now += request["operations"] * size * speed / 1e11
        asked(self, request)

    monkeypatch.setattr(fork_module.Fork, "send", ask)
    text = published("untimed = 40000\noperations = 60000")
    run = measure(text, fake, folder, clock=clock, budget=1000.0, name="once").run
    once = run.replicates[0].seconds
    done = measure(text, fake, folder, clock=clock, budget=2 * once, name="twice").run
    assert len(done.replicates) >= 3 and done.seconds < 2.2 * once
    lengths = {True: [], False: []}
    for each in done.samples:
        if each.replicate == 1:  # by then it is known how long each takes
            whole = sum(each.operations) == 60000
            lengths[whole].append(long(done.plan.cases[each.case]))
    assert max(lengths[True]) < min(lengths[False]), "the longest are shortened, and only they"


def test_a_span_may_take_as_long_as_the_budget(fake, folder, spied):
    """A counted span of the authors' length may take minutes, and nothing is known of it
    beforehand.
    """
    asked = spied(fork_module.Fork, "ask")
    measure(published("operations = 2"), fake, folder, budget=900.0)
    of_samples = [each for each in asked if not isinstance(each[1], bytes)]
    waits = [timeout for _, request, timeout, *_ in of_samples if request["verb"] == "sample"]
    assert waits and min(waits) >= 900


def test_the_time_left_is_that_of_five_repetitions(fake, folder):
    text = published('process = "each"\niterations = 1\niteration = "1ms"')
    done = measure(text, fake, folder, budget=3600.0)
    first = next(each for each in done.progress if each.doing == "a replicate is complete")
    assert first.remaining == pytest.approx(4 * done.run.replicates[0].seconds, rel=0.1)


@pytest.mark.parametrize(("cache", "resident"), [("cold", 0.0), ("warm", 1.0)])
def test_the_cache_is_as_the_authors_had_it_when_a_case_began(fake, folder, cache, resident):
    """From then on it is left alone: what the first timed span read is in the cache for the others."""
    text = published('process = "one"\niterations = 2\niteration = "1ms"').replace(
        '"as-left"', f'"{cache}"'
    )
    done = measure(text, fake, folder, budget=3600.0)
    assert not done.run.failed()
    assert {each.resident_before for each in done.run.samples if each.round == 0} == {resident}
    assert {each.resident_before for each in done.run.samples if each.round == 1} == {1.0}


def test_a_file_per_operation_allows_no_more_than_the_disk_can_hold(fake):
    said = r"\.operations: 1000000 operations in one span write 1000000 files; allowed: \d+, or a l"
    with pytest.raises(UserError, match=said):
        make_plan(WRITTEN.format(more="operations = 1000000"), fake, protocol="published")
    made = make_plan(WRITTEN.format(more=""), fake, protocol="published")
    assert made.groups[0].operations == 5


def test_a_file_that_grows_keeps_growing(fake, folder):
    done = measure(WRITTEN.format(more='mode = "append"\nlifetime = "run"'), fake, folder)
    first = [each for each in done.run.samples if each.replicate == 0]
    assert [each.file_before for each in first] == [0, 5 * 4096]


def test_what_cannot_be_had_is_said(fake, folder):
    text = published('operations = 1\ncaveats = ["published on another planet"]')
    done = measure(text, fake, folder)
    assert "published on another planet" in report.make(done.run).caveats


def test_the_clock_of_the_authors_is_theirs(fake, folder):
    """A millisecond clock over a span that takes less says 0 or 1: what the table shows is rounded
    to it, the run file is not.
    """
    done = measure(published('operations = 10000\nclock = "1ms"'), fake, folder)
    sample = next(each for each in done.run.samples if each.case == 0)
    shown = report.make(done.run).groups[0].cases
    levels = {each.case.key: each for each in shown if each.ns_per_op}
    found = levels[done.run.plan.cases[0].key]
    assert sample.ns[0] % 1_000_000
    assert found.ns_per_op.center * 10000 == pytest.approx(round(sample.ns[0] / 1e6) * 1e6)
    # Repetitions that it shows alike prove nothing finer than its ticks.
    assert len(done.run.replicates) >= 3
    assert found.ns_per_op.lo * 10000 < sample.ns[0] < found.ns_per_op.hi * 10000
    other = next(each for each in levels.values() if each.vs_best is not None)
    assert other.vs_best.hi / other.vs_best.lo > 1.05


def test_a_study_without_a_published_protocol_says_so(fake):
    with pytest.raises(UserError, match="has no group for --protocol published; allowed: sound"):
        make_plan(group(steady(10)), fake, protocol="published")
