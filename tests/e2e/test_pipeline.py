"""The whole pipeline on the fake runner: real processes and files, made-up times, a clock that
stands still.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from itertools import count, groupby
from pathlib import Path

import numpy as np
import pytest

from iogauge.analysis import report
from iogauge.commands.statuses import JUDGE
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.host import pagecache, processes, provable
from iogauge.measuring import session
from iogauge.measuring.calibration import spanning
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.outputs import details
from iogauge.outputs import json as json_output
from iogauge.outputs.document import Document
from iogauge.planning.cost import replicate_seconds
from iogauge.planning.order import layout_of
from iogauge.runfile import reading
from iogauge.runfile.header import poolable_runtimes
from iogauge.runfile.records import Failure
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners import fork as fork_module
from iogauge.runners.live_fork import LiveFork
from tests import fake_study
from tests.fake_study import faulty, go_on, group, make_plan, measure, steady
from tests.runs import replanned, used

TESTS = Path(__file__).parents[1]

LONG = group(steady(100, 101, scatter=30), more='compare = "all"')  # some ten replicates


def test_a_study_is_decided_and_reported_from_its_file_as_from_memory(study, folder):
    done = study(group(steady(10, 12, 20), cache='["warm", "cold"]'), seed=1)
    assert done.reason == "decided"
    again = reading.read(done.path)
    made = report.make(again)
    assert [each.id for each in made.groups] == ["fakes-warm", "fakes-cold"]
    for each in made.groups:
        assert each.cases[0].case.parameters["speed"] == 10
        assert each.cases[0].is_best
        assert each.cases[1].vs_best.outcome == "slower"
        assert each.cases[1].vs_best.lo < 1.2 < each.cases[1].vs_best.hi
        assert not each.undecided
    of_file, of_memory = (json_output.render(Document(each)) for each in (again, done.run))
    assert json.loads(of_file) == json.loads(of_memory)


FAULTS = {
    "wrong-sum": "wrong sum",
    "later-wrong-sum": "wrong sum",
    "wrong-count": "wrong count",
    "too-few-spans": "values of ns for",
    "garbage": "garbage instead of a reply",
    "chatty": "spoke without being asked",
    "dies": "exited with status 3; its last words: out of fake memory",
    "dies-at-start": "exited with status 7; its last words: no such luck",
    "refuses": "no, not this file",
    "no-time": "took no time",
}


@pytest.mark.parametrize(("fault", "reason"), FAULTS.items())
def test_a_fault_fails_its_case_alone(measured_once, fault, reason):
    done = measured_once(group(steady(10, 20) + faulty(*FAULTS)))
    run = done.run
    failures = {run.plan.cases[each.case].strategy: each for each in run.failures}
    assert len(run.failures) == len(FAULTS) and failures.keys() == {f"fake/{n}" for n in FAULTS}
    failure = failures[f"fake/{fault}"]
    assert reason in failure.reason
    cases = {each.case.strategy: each for each in report.make(run).groups[0].cases}
    assert reason in cases[f"fake/{fault}"].failure
    assert cases["fake/steady"].failure is None
    assert done.reason == "decided"
    assert not any(record.case == failure.case for record in run.samples)


def test_a_case_that_fails_late_is_neither_best_nor_pending(study, tmp_path):
    """What it did before cannot be believed, and nobody waits for it."""
    spoil = tmp_path / "iogauge-data" / "spoil"

    def show(progress):
        if progress.replicates == 2 and not spoil.exists():
            spoil.touch()

    late = '[[group.case]]\nstrategy = "fake/spoilt"\nparameters = { speed = 10, scatter = 5 }\n'
    text = group(steady(12, 20) + late, more='baseline = { strategy = "fake/steady" }')
    done = study(text, seed=3, show=show)
    assert [each.replicate for each in done.run.failures] == [2]
    assert len(done.run.replicates) >= 3 and done.reason == "decided"
    made = report.make(done.run).groups[0]
    spoilt = made.cases[-1]
    assert spoilt.case.strategy == "fake/spoilt" and spoilt.failure and spoilt.ns_per_op is None
    assert made.cases[0].is_best and not spoilt.is_best and not made.undecided


def test_a_failed_control_is_told_and_counted(measured_once):
    done = measured_once(group(steady(10, 20)))
    control = done.run.plan.groups[0].control
    done.run.add(Failure(case=control, reason="wrong sum"))
    made = report.make(done.run)
    assert made.failures == 1
    assert made.groups[0].control_failure == "wrong sum" and made.groups[0].noise_floor is None


def test_a_slow_baseline_meets_its_control_and_the_others(study):
    baseline = 'baseline = { strategy = "fake/steady", parameters = { speed = 1000 } }'
    run = study(group(steady(1000, 10, 11, 900), more=baseline), seed=4).run
    (made,) = report.make(run).groups
    assert made.control.replicates >= 3 and made.noise_floor < 0.2
    best = made.cases[0]
    assert best.case.parameters["speed"] == 10 and best.is_best
    assert best.vs_baseline.outcome == "faster"


def test_no_answer_fails_the_case(study):
    hasty = METHOD.model_copy(update={"answer_timeout": 0.5})
    done = study(group(steady(10, 20) + faulty("silent")), seed=3, method=hasty)
    assert [each.reason for each in done.run.failures] == ["no answer to 'sample' in time"]
    assert done.reason == "decided"


def test_a_failed_baseline_leaves_the_rest_comparable(study):
    text = group(steady(10, 20) + faulty("dies"), more='baseline = { strategy = "fake/dies" }')
    done = study(text, seed=3)
    made = report.make(done.run).groups[0]
    assert {each.case.strategy for each in made.cases if each.failure} == {"fake/dies"}
    assert made.cases[0].is_best and made.cases[1].vs_best.center == pytest.approx(2, rel=0.1)


def test_the_first_rounds_hold_each_live_case_once_and_further_ones_what_is_open(study):
    # 300 is over 10 times slower than 10: one sample, and it is not measured again.
    done = study(group(steady(10, 11, 12, 300), cache='["warm", "cold"]'), seed=5)
    plan, orders = done.run.plan, defaultdict(list)
    rounds = defaultdict(list)
    for sample in done.run.samples:
        rounds[sample.group, sample.replicate, sample.round].append(sample.case)
    slow = {case for case, record in done.run.calibrations.items() if record.rounds == 1}
    assert {plan.cases[case].parameters["speed"] for case in slow} == {300}
    of_slow = defaultdict(list)
    for (index, replicate, number), cases in rounds.items():
        quick = [case for case in cases if case not in slow]
        assert len(quick) == len(set(quick))
        first = {case for case in rounds[index, replicate, 0] if case not in slow}
        assert set(quick) == first if number < 3 else set(quick) <= first
        of_slow[index, replicate] += [case for case in cases if case in slow]
        orders[index].append(tuple(quick))
    for index, group_ in enumerate(plan.groups):
        assert set(range(group_.rounds)) == {n for g, r, n in rounds if g == index and r == 0}
        assert len(set(orders[index])) >= min(len(orders[index]) / 4, 12), "it hardly changes"
    for (index, replicate), cases in of_slow.items():
        own = [case for case in slow if case in plan.groups[index].cases]
        assert sorted(cases) == ([] if replicate else sorted(own)), "once, and then eliminated"
    (made, _) = report.make(done.run).groups
    assert made.cases[-1].vs_best.eliminated and made.cases[-1].vs_best.outcome == "slower"


def test_order_of_events_around_a_sample(study, folder, monkeypatch):
    """Conditions, look, sample, look, release, record: and nothing else between the two looks."""
    log: list[str] = []

    def logged(target, name, label):
        original = getattr(target, name)

        def wrapper(*arguments, **named):
            log.append(label(arguments))
            result = original(*arguments, **named)
            log.append(f"/{label(arguments)}")
            return result

        monkeypatch.setattr(target, name, wrapper)

    for name in ("cache", "evict", "observe"):
        logged(pagecache, name, lambda arguments, name=name: name)
    logged(fork_module.Fork, "ask", lambda arguments: arguments[1]["verb"])
    logged(LiveFork, "release", lambda arguments: "release")
    logged(fork_module.ProcessCounters, "read", lambda arguments: "look")
    kind = lambda record: getattr(record, "record", None) or record.__struct_config__.tag  # noqa: E731
    logged(Writer, "append", lambda arguments: f"append {kind(arguments[1])}")
    logged(Writer, "sync", lambda arguments: "sync")
    study(
        group(steady(10, 20), cache='["warm", "cold"]'),
        folder=folder,
        seed=1,
        show=lambda progress: log.extend(("tell", "/tell")),
    )

    looks = [index for index, event in enumerate(log) if event == "look"]
    assert len(looks) > 100
    seen = set()
    for before, after in zip(looks[::2], looks[1::2], strict=True):
        assert log[before : after + 2] == ["look", "/look", "sample", "/sample", "look", "/look"]
        leading = [event for event in log[max(0, before - 12) : before] if event.startswith("/")]
        trailing = log[after + 2 : after + 6]
        if leading[-1] == "/observe":
            assert trailing[0] == "append sample"
            seen.add("warm")
        elif leading[-1] in ("/sample", "/look"):  # of the null strategy, one after another
            assert trailing[0] in ("look", "append harness")
            seen.add("null")
        else:
            assert leading[-1] == "/evict"
            assert trailing == ["release", "/release", "append sample", "/append sample"]
            seen.add("cold")
    assert seen == {"warm", "cold", "null"}
    synced = [log[index - 1] for index, event in enumerate(log[:-2]) if event == "sync"]
    assert set(synced) == {"/append replicate"}, "between replicates, and only there"


def test_warm_files_are_cached_anew_in_every_replicate(study, spied):
    evicted = spied(pagecache, "evict")
    done = study(group(steady(10, 20)), seed=1)
    assert len(evicted) == len(done.run.replicates)


def test_a_fork_lets_go_of_its_files_once_after_it_worked(study, folder, spied):
    """Before a file is put out of the cache, and after a cold sample; and not once more."""
    sent = spied(fork_module.Fork, "send")
    study(group(steady(10, 20), cache='["warm", "cold"]'), folder=folder, seed=1)
    verbs = defaultdict(list)
    for fork, request in sent:
        verbs[fork.pid].append(request["verb"])
    for of_fork in verbs.values():
        before = [of_fork[at - 1] for at, verb in enumerate(of_fork) if verb == "release"]
        assert before and set(before) == {"sample"}


def test_pages_that_are_missing_bring_the_whole_file_in_anew(study, folder, monkeypatch):
    path, looks = [], iter([0.5] + [1.0] * 10_000)
    original = pagecache.observe

    def observe(which):
        path.append(which)
        found = original(which)
        return type(found)(round(found.of * next(looks)), found.of, 0)

    monkeypatch.setattr(pagecache, "evict", lambda path, **named: pagecache.Residency(0, 16, 0))
    monkeypatch.setattr(pagecache, "observe", observe)
    monkeypatch.setattr(provable, "why_not_observed_in", lambda directory: None)
    done = study(group(steady(10, 20)), folder=folder, seed=1)
    assert [sample.recached for sample in done.run.samples][:2] == [1, 0]
    assert not any(sample.void for sample in done.run.samples)


def test_what_stays_out_of_the_cache_voids_a_warm_sample(study, monkeypatch):
    monkeypatch.setattr(pagecache, "evict", lambda path, **named: pagecache.Residency(0, 16, 0))
    monkeypatch.setattr(pagecache, "observe", lambda path: pagecache.Residency(15, 16, 0))
    done = study(group(steady(10, 20)), step=2.0, seed=1, budget=600.0)
    assert done.run.samples
    assert all("was in the cache before a warm" in each.void for each in done.run.samples)
    assert {sample.recached for sample in done.run.samples} == {2}
    made = report.make(done.run).groups[0]
    assert made.samples == 0
    assert all(case.ns_per_op is None and "no valid sample" in case.failure for case in made.cases)


def test_what_stays_in_the_cache_voids_a_cold_sample(study, monkeypatch):
    monkeypatch.setattr(provable, "why_not_cold_in", lambda directory: None)
    monkeypatch.setattr(pagecache, "evict", lambda path, **named: pagecache.Residency(1, 16, 0))
    done = study(group(steady(10, 20), cache='["cold"]'), step=2.0, seed=1, budget=600.0)
    assert done.run.samples
    assert all("before a cold sample" in sample.void for sample in done.run.samples)


def test_the_budget_ends_a_run_after_whole_replicates(study):
    done = study(group(steady(100, 101, scatter=300)), step=0.01, seed=1, budget=3.0)
    assert done.reason == "budget"
    replicates = done.run.replicates
    assert 2 <= len(replicates) < 64
    assert done.run.seconds <= 3 + 2 * replicates[-1].seconds
    made = report.make(done.run).groups[0]
    assert made.undecided and not made.provisional


def test_a_budget_shorter_than_a_replicate_still_measures_every_case_and_says_so(study):
    done = study(group(steady(10, 20), cache='["warm", "cold"]'), step=1.0, seed=1, budget=1.0)
    assert len(done.run.replicates) == 1
    assert {sample.case for sample in done.run.samples} == set(range(len(done.run.plan.cases)))
    assert any("budget" in caveat for caveat in report.make(done.run).caveats)


def test_where_three_replicates_do_not_fit_only_compute_only_and_ceilings_are_left_out(study):
    """Not quite three whole ones fit. Each case is measured in all of them, as nothing is known of
    one that was measured twice.
    """
    text = group(steady(10, 12, 13, 14, 15, scatter=30), more='consume = "sum"\n')
    whole = study(text, step=0.01, name="whole", seed=1, budget=3.0).run.replicates[0].seconds
    # How long ceilings take is guessed in true seconds, which are many by this clock.
    late = METHOD.model_copy(update={"longest_overrun": 1.5})
    done = study(text, step=0.01, seed=1, budget=2.8 * whole, method=late)
    run = done.run
    assert len(run.replicates) >= 3
    every = set(range(len(run.plan.groups[0].cases)))
    assert [set(each.cases) for each in run.replicates[:3]] == [every] * 3
    assert {each.replicate for each in run.ceilings} == {2}
    assert {each.replicate for each in run.compute_only} == {0}


def test_an_interrupted_run_goes_on_where_it_was(study, fake, tmp_path):
    def interrupted(progress):
        if progress.replicates == 2 and "round 3" in progress.doing:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(LONG, seed=9, show=interrupted)
    path = tmp_path / "run.jsonl"
    cut = reading.read(path)
    assert not cut.complete and len(cut.replicates) == 2
    partial = [sample for sample in cut.samples if sample.replicate == 2]
    assert partial and not any(sample.replicate == 2 for sample in used(cut))
    assert report.make(cut).groups[0].provisional

    done = go_on(cut, Writer(path, resume=True), fake, tmp_path)
    assert done.reason == "decided"
    whole = reading.read(path)
    numbers = [record.replicate for record in whole.replicates]
    assert numbers == list(range(len(numbers))) and len(numbers) >= 6
    counted = [(s.replicate, s.round, s.case) for s in used(whole)]
    assert len(counted) == len(set(counted)), "what was cut short is not counted twice"
    assert {fork.attempt for fork in whole.forks} == {0, 1}
    assert len({fork.fork for fork in whole.forks}) == len(whole.forks)


@pytest.mark.long
def test_a_resumed_run_draws_the_orders_that_the_whole_one_would(study, fake, tmp_path):
    whole = study(LONG, name="whole", seed=4)
    lines = whole.path.read_bytes().split(b"\n")
    ends = [b'"record":"replicate"' in line and b'"replicate":4' in line for line in lines]
    at = ends.index(True)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"\n".join(lines[: at + 4]) + b"\n" + lines[at + 4][:20])  # and half a line
    done = go_on(reading.read(part), Writer(part, resume=True), fake, tmp_path)

    def orders(run):
        rounds = groupby(used(run), key=lambda each: (each.replicate, each.round))
        return {key: [each.case for each in samples] for key, samples in rounds}

    # The forks of the new session have other times, so it may be decided sooner or later.
    resumed, complete = orders(reading.read(done.path)), orders(whole.run)
    both = [key for key in resumed if key in complete and key[1] < 3]
    assert {replicate for replicate, _ in both} > set(range(7)), "some of both sessions"
    assert all(resumed[key] == complete[key] for key in both)


@pytest.fixture
def resumed(tmp_path, monkeypatch):
    """Goes on with a run that ended, as the command does: its runner is found again."""
    monkeypatch.setenv("IOGAUGE_RUNNERS", str(TESTS / "runners"))
    monkeypatch.setattr(session, "__version__", "test")

    def resume(ended, show):
        monkeypatch.setattr(session, "_facts", lambda folder: (ended.run.header.host, False))

        def find(run):
            names, say = {each.name for each in run.header.runtimes}, pytest.fail  # none is built
            return session.same_runtimes(run, names, {}, ended.path, say, "resumed")

        return session.resume(ended.path, None, find, tmp_path, show, JUDGE, budget=3600.0)

    return resume


@pytest.mark.long
def test_a_run_that_ended_goes_on_with_a_larger_budget_as_if_it_had_had_it(study, resumed):
    """Its header stays as it was written, its clock goes on, and nothing tells it from a run that
    had the larger budget from the beginning.
    """
    ended = study(LONG, step=0.01, seed=4, budget=2.0)
    first, before = len(ended.run.replicates), ended.path.read_bytes()
    assert ended.reason == "budget" and ended.run.complete
    stood = []

    def show(progress):
        if not stood:
            run = reading.read(ended.path)
            stood.append((run.complete, run.budget, report.make(run).groups[0].provisional))

    _, _, reason = resumed(ended, show)
    assert reason == "decided" and stood == [(False, 3600, True)]

    assert ended.path.read_bytes().startswith(before)
    read = reading.read(ended.path)
    assert read.complete and read.budget == 3600 and read.plan.budget == 2
    assert [each.replicate for each in read.replicates] == list(range(len(read.replicates)))
    elapsed = [each.elapsed for each in read.replicates]
    assert first < len(elapsed) and elapsed == sorted(elapsed)
    assert read.ends[0].seconds <= elapsed[first] < elapsed[-1]
    assert poolable_runtimes(read.header, ended.run.header) == {*ended.run.header.builds}
    whole = study(LONG, name="whole", seed=4)
    assert len(read.replicates) == len(whole.run.replicates)
    last = len(read.replicates) - 1

    def levels(run):
        rows = run.used() & (run.columns.replicate == last)
        found = zip(run.columns.case[rows].tolist(), np.log(run.columns.levels[rows]), strict=True)
        return dict(found)

    assert levels(read) == pytest.approx(levels(whole.run), rel=0.01)


def test_an_ended_run_that_is_resumed_and_stopped_at_once_keeps_its_verdicts(study, resumed):
    ended = study(LONG, step=0.01, seed=4, budget=2.0)

    def interrupted(progress):
        raise KeyboardInterrupt

    _, _, reason = resumed(ended, interrupted)
    read = reading.read(ended.path)
    assert reason == "interrupted" and read.complete and read.ends[-1].reason == "budget"


def test_nothing_is_written_to_a_run_that_cannot_be_resumed(study):
    ended = study(LONG, step=0.01, seed=4, budget=0.5)
    run = reading.read(ended.path)
    (first,) = run.plan.groups
    own = {"workload": first.workload.model_copy(update={"content": "own"})}
    run = replanned(run, groups=(first.model_copy(update=own),))
    with pytest.raises(UserError, match="a file of yours"):
        session._may_go_on(run, ended.path, 3600.0)


def test_progress_is_told_with_standings(measured_once):
    done = measured_once(group(steady(10, 20)))
    assert done.progress[0].decisions == {}
    assert done.progress[-1].decisions[0].best is not None
    assert all(each.remaining >= 0 for each in done.progress)


def test_memory_cuts_replicates_into_parts_with_the_baseline(fake, tmp_path):
    made = make_plan(group(steady(10, 11, 12, 13, 14)), fake, seed=1)
    assert made.memory_limit_mib == 8 << 10
    small = made.model_copy(update={"memory_limit_mib": 3 * 64})
    header = fake_study.header_of(small, fake)
    writer = Writer(tmp_path / "parts.jsonl")
    writer.append(header)
    cut = go_on(Run(header), writer, fake, tmp_path)
    baseline = small.groups[0].baseline
    by_part = defaultdict(set)
    for sample in cut.run.samples:
        by_part[sample.replicate, sample.part].add(sample.case)
    assert max(part for _, part in by_part) >= 2
    assert all(baseline in cases and len(cases) <= 3 for cases in by_part.values())
    made = report.make(cut.run).groups[0]
    speeds = [case.case.parameters["speed"] for case in made.cases]
    assert speeds == sorted(speeds)
    assert made.cases[-1].vs_best.outcome == "slower"
    assert made.cases[-1].vs_best.center == pytest.approx(1.4, rel=0.05)


def test_a_run_without_a_runner_that_has_ceilings_says_so(measured_once):
    def legend() -> str:
        parts = details.render(Document(done.run)).renderables
        return "".join(getattr(part, "plain", "") for part in parts)

    done = measured_once(group(steady(10, 20)))
    assert "no ceilings" not in legend(), "this run could have some"
    (runtime,) = done.run.header.runtimes
    bare = {name: each for name, each in runtime.strategies.items() if each.role != "ceiling"}
    runtimes = (runtime.model_copy(update={"strategies": bare}),)
    done.run.header = done.run.header.model_copy(update={"runtimes": runtimes})
    assert "no ceilings: measuring them needs Rust" in legend()


@pytest.mark.parametrize(
    ("speed", "other", "usual", "own"),
    [
        # 3.9 ms per operation: two are 8 ms, but a sample has five collections, and eight come
        # before it, which are 31 ms.
        (6000, "allocating", (1, 2, 2), (1, 4, 8)),
        # 16.4 ms: eight collections before it would take longer than 60 ms.
        (25000, "allocating", (1, 1, 1), (1, 4, 4)),
        # 0.66 ms: four spans of three are 8 ms, and twenty of them 40 ms.
        (1000, "mapping", (3, 4, 4), (3, 4, 20)),
    ],
)
def test_what_allocates_or_is_mapped_works_for_longer_before_it_counts(
    speed, other, usual, own, study
):
    row = '[[group.case]]\nstrategy = "fake/{}"\nparameters = {{ speed = {} }}\n'
    done = study(group(row.format("steady", speed) + row.format(other, speed)), seed=3)
    made = {
        done.run.plan.cases[case].strategy: (each.operations, each.spans, each.prelude)
        for case, each in done.run.calibrations.items()
    }
    assert made == {"fake/steady": usual, f"fake/{other}": own}


def test_a_sample_that_lasts_longer_than_planned_is_followed_by_one_of_the_right_size(study):
    """It becomes seven times slower in its third round; then it has a seventh of the operations."""
    done = study(group(steady(1000) + faulty("slower-later")), seed=3)
    case = next(at for at, each in enumerate(done.run.plan.cases) if "later" in each.strategy)
    taken = [each for each in done.run.samples if each.case == case and each.replicate == 0]
    planned = sum(taken[0].ns) + sum(taken[0].prelude_ns)
    shares = [(sum(each.ns) + sum(each.prelude_ns)) / planned for each in taken]
    assert sum(share > 1.5 for share in shares) == 1 and max(shares) > 5
    after = shares[shares.index(max(shares)) + 1 :]
    assert after and all(0.6 < share < 1.5 for share in after)
    assert all(not each.void for each in taken), "it counts"


@pytest.mark.parametrize(  # no more than 200 ms; as long for what allocates without a collection
    ("collections", "seconds"),
    [(None, 0.008), (1.0, 0.008), (0.01, 0.08), (0.0001, 0.2), (0.0, 0.2)],
)
def test_a_span_of_collections_has_bounds(collections, seconds):
    assert spanning(0.008, 0.2, 8, 100e-6, collections) == pytest.approx(seconds)


def test_a_round_begins_with_the_canary_and_every_sample_has_its_surroundings(measured_once):
    done = measured_once(group(steady(10, 11)))
    rounds = {(each.replicate, each.round) for each in done.run.samples}
    assert {(each.replicate, each.round) for each in done.run.rounds} == rounds
    assert all(each.canary.compute_ns > 0 < each.canary.memory_ns for each in done.run.rounds)
    machines = [sample.machine for sample in done.run.samples]
    assert all(each["steal_ns"] >= 0 and isinstance(each["busy_ns"], int) for each in machines)
    (cost,) = done.run.harness  # once per runtime
    assert (cost.runtime, cost.strategy, cost.options) == ("fake-1.0", "fake/null", [])
    assert cost.replicate == 0


def test_a_warm_sample_is_some_spans_far_above_the_clock(study, fake):
    resolution = fake.runtime.clock_resolution_ns
    done = study(group(steady(10, 4000), size="4K"), seed=3)
    for sample in done.run.samples:
        assert len(sample.ns) == len(sample.prelude_ns) == 4
        assert min(sample.ns) >= 2 * resolution / 0.005


def test_a_clock_that_is_coarse_makes_samples_longer(fake, tmp_path):
    """A span takes 400 times the resolution, whatever a sample should last."""
    coarse = replace(fake, runtime=fake.runtime.model_copy(update={"clock_resolution_ns": 100_000}))
    done = measure(group(steady(10), size="4K"), coarse, tmp_path, seed=3)
    assert all(min(sample.ns) >= 0.9 * 400 * 100_000 for sample in done.run.samples)


def test_long_samples_are_taken_in_fewer_rounds(study):
    """8 MiB at 4 ns per byte take 34 ms, at 2 ns 17 ms, at 8 ns 67 ms."""
    text = group(steady(200, 440, 800), size="8M", more='compare = "all"')
    done = study(text, seed=3, step=1.0, budget=1.0)
    assert rounds_by_speed(done) == {200: 5, 440: 4, 800: 3}


def rounds_by_speed(done):
    """The control is measured as its baseline is."""
    plan = done.run.plan
    found = {}
    for case, record in done.run.calibrations.items():
        found.setdefault(plan.cases[case].parameters["speed"], set()).add(record.rounds)
    return {speed: rounds for speed, (rounds,) in found.items()}


@pytest.mark.parametrize(
    ("more", "far"), [("", [5, 3, 3]), ('compare = "all"', [5] * 3), ("to_the_end = true", [5] * 3)]
)
def test_what_is_far_behind_gets_fewer_rounds_where_only_the_best_is_asked_for(more, far, study):
    """Not the baseline, which is slow here, nor its control."""
    text = group(steady(300, 100, 140, 160, 700), more=more)
    done = study(text, seed=3, step=1.0, budget=1.0)
    assert rounds_by_speed(done) == {300: 5, 100: 5, **dict(zip((140, 160, 700), far, strict=True))}
    taken = [each.case for each in done.run.samples if each.replicate == 0]
    most = max(each.rounds[0] for each in done.run.replicates)
    for case, record in done.run.calibrations.items():
        assert taken.count(case) == min(most, record.rounds)


def test_what_waits_for_a_device_or_is_compared_across_groups_keeps_its_rounds(
    study, folder, monkeypatch
):
    monkeypatch.setattr(fake_study, "HEAD", fake_study.HEAD.replace("cold = 3", "cold = 4"))

    def rounds(name, **conditions):
        text = group(steady(100, 400), **conditions)
        done = study(text, folder=folder, name=name, seed=3, step=1.0, budget=1.0)
        return {record.rounds for record in done.run.calibrations.values()}

    assert rounds("across", cache='["warm", "cold"]', more='along = "cache"') == {4, 5}
    assert rounds("cold", cache='"cold"') == {4}
    assert rounds("warm", cache='"warm"') == {3, 5}, "there it has fewer"


def test_a_first_operation_does_not_decide_how_a_case_is_measured(study):
    """A fork's first one takes 0.3 s, the others 6.6 µs; what is slow for good is asked only once
    more.
    """
    done = study(group(faulty("slow-at-first")), seed=3, budget=0.1)
    (record,) = {record.ns_per_op: record for record in done.run.calibrations.values()}.values()
    assert record.ns_per_op < 10_000 and record.operations > 100
    assert record.spans == 4 and record.prelude > 0 and record.rounds == 5
    for fork in done.run.forks:
        assert fork.warm_up.popitem()[1][0] == 300_000_000, "it is on record"


def test_what_is_far_behind_is_dropped_keeps_its_interval_and_is_named_no_more(study):
    near = group(steady(100, 101, 900, scatter=10), more='compare = "all"')
    done = study(near, seed=5, budget=2.5, step=0.01)
    for record in done.run.replicates:
        own = [each.case for each in done.run.samples if each.replicate == record.replicate]
        assert set(record.cases) == set(own)
    assert len(done.run.replicates[0].cases) == 4 and len(done.run.replicates[-1].cases) < 4
    *others, far = report.make(done.run).groups[0].cases
    assert far.eliminated and not any(each.eliminated for each in others)
    assert far.vs_best.outcome == "slower"
    assert 3 < far.vs_best.lo < far.vs_best.center < far.vs_best.hi < 20


def test_replicates_start_the_layouts_of_a_runner_in_random_order(study, fake):
    done = study(group(steady(10, 30)))
    layouts = {fork.replicate: fork.layout for fork in done.run.forks}
    assert len(layouts) > 2
    for fork in done.run.forks:
        assert fork.layout == layouts[fork.replicate], "all forks of a replicate have the same"
        assert fork.flags == [f"layout-{fork.layout}"], "what it was started as"
    turns = [{layouts[at], layouts[at + 1]} for at in range(0, len(layouts) - 1, 2)]
    assert all(each == {0, 1} for each in turns), "each once before one comes again"
    plans = [make_plan(group(steady(10)), fake, seed=seed) for seed in range(20)]
    orders = {tuple(layout_of(made, number, 8) for number in range(16)) for made in plans}
    assert len(orders) == 20
    assert all(sorted(order) == sorted([*range(8), *range(8)]) for order in orders)


def test_a_guess_of_a_replicate_has_the_warm_up_of_its_forks(fake, monkeypatch):
    """Three forks of 1 s, two at a time; 10 000 reads of 16 MiB would take longer than that."""
    monkeypatch.setattr(fake_study, "HEAD", fake_study.HEAD.replace("warm = 5", "warm = 3"))
    made = make_plan(group(steady(10, 20), size="16M"), fake)
    warming = {"warm_up_calls": 10_000, "longest_warm_up_seconds": 1.0}
    runtimes = fake.runtime, fake.runtime.model_copy(update=warming)
    before, after = (
        replicate_seconds(made, made.bundles[0], [each], 2, METHOD) for each in runtimes
    )
    assert after - before == pytest.approx(1.5 * (1.0 - fake.runtime.warm_up_seconds))


@pytest.mark.parametrize(
    ("calls", "longest", "least", "most"),
    [(0, 0.0, 1, 2), (10_000, 1.0, 7, 9), (10_000, 0.04, 4, 6)],
)
def test_a_fork_is_warmed_up_for_as_many_calls_as_its_compiler_counts(
    fake, tmp_path, calls, longest, least, most
):
    """64 KiB at 0.1 ns per byte are 6.6 µs an operation: 10 000 calls take 66 ms, seven spans;
    where that is too long, as many as there is time for.
    """
    warming = {"warm_up_calls": calls, "longest_warm_up_seconds": longest}
    counting = replace(fake, runtime=fake.runtime.model_copy(update=warming))
    done = measure(group(steady(10), size="64K"), counting, tmp_path, seed=3, budget=1.0)
    lengths = {len(curve) for fork in done.run.forks for curve in fork.warm_up.values()}
    assert least <= min(lengths) and max(lengths) <= most


def test_a_fork_whose_code_is_compiled_is_warmed_up_until_its_spans_are_level(fake, tmp_path):
    """At 0.66 ms an operation, 600 calls take 0.4 s, and 6000 longer than the limit of 1 s."""
    warming = {"warm_up_seconds": 0.2, "warm_up_calls": 6000, "longest_warm_up_seconds": 1.0}

    def seconds(speed, **more):
        runtime = fake.runtime.model_copy(update={**warming, **more})
        done = measure(
            group(steady(speed)),
            replace(fake, runtime=runtime),
            tmp_path,
            seed=3,
            name=f"{speed}-{len(more)}",
        )
        curves = [curve for fork in done.run.forks for curve in fork.warm_up.values()]
        return min(len(each) for each in curves) / 100

    assert seconds(1000) == pytest.approx(1.0, abs=0.05), "nobody knows when it is compiled"
    assert seconds(1000, compiled_after_calls=600) == pytest.approx(0.4, abs=0.05)
    assert seconds(4000, compiled_after_calls=600) < 0.15, "it is not in time, and nothing compiles"
    assert seconds(10, compiled_after_calls=600) == pytest.approx(0.06, abs=0.03), (
        "all of its calls"
    )


@pytest.mark.parametrize(("compiles", "whole"), [(0.02, False), (0.5, True), (None, True)])
def test_a_warm_up_goes_on_while_something_compiles(fake, tmp_path, monkeypatch, compiles, whole):
    """Of the time that the threads take; where the kernel does not tell, nobody knows."""
    seconds = count()
    warming = {"warm_up_seconds": 0.2, "warm_up_calls": 6000, "longest_warm_up_seconds": 1.0}
    more = {"compiled_after_calls": 600, "compiling_threads": ("C2 ",)}
    runtime = fake.runtime.model_copy(update=warming | more)
    took = 0.03 * compiles if compiles is not None else None  # in a step of the warm-up
    monkeypatch.setattr(
        processes,
        "thread_seconds",
        lambda pid, names: None if took is None else took * next(seconds),
    )
    done = measure(group(steady(4000)), replace(fake, runtime=runtime), tmp_path, seed=3)
    lengths = {len(curve) for fork in done.run.forks for curve in fork.warm_up.values()}
    assert min(lengths) >= 95 if whole else max(lengths) < 20, lengths


def test_a_short_look_does_not_say_how_often_garbage_is_collected(fake, tmp_path, monkeypatch):
    """It sees no collection or one, and samples are to span several."""
    look, seen = LiveFork.look, []

    def looked(self, task):
        self.collections[task.shape] = 0.125
        look(self, task)
        seen.append(self.collections[task.shape])

    monkeypatch.setattr(LiveFork, "look", looked)
    measure(group(steady(10, 20), cache='"warm"'), fake, tmp_path, seed=3)
    assert seen and set(seen) == {0.125}


def test_each_fork_begins_with_a_padding_of_its_own(study, spied):
    """Where its arrays lie must not be the same in every fork of a strategy: what it does to the
    times would look like the strategy's.
    """
    sent = spied(fork_module.Fork, "send")
    done = study(group(steady(10, 11)), seed=1)
    asked = [request for _, request in sent if not isinstance(request, bytes)]
    told = {each["padding"] for each in asked if each.get("strategy") == "fake/steady"}
    recorded = [each.padding for each in done.run.forks]
    assert told == set(recorded) and len(set(recorded)) > len(recorded) / 2
    again = study(group(steady(10, 11)), seed=1, name="again")
    assert [each.padding for each in again.run.forks] == recorded


@pytest.mark.parametrize("records", [1, 2, 8, 30, 50])
def test_a_run_that_was_cut_anywhere_can_be_looked_at(measured_once, tmp_path, records):
    """Also before anything was measured, and with cases enough for each to be seen beside the
    others.
    """
    done = measured_once(group(steady(10, 11, 12, 13, 14)))
    lines = done.path.read_text().splitlines(keepends=True)
    assert len(lines) > 50
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:records]))
    made = report.make(reading.read(cut))
    assert all(each.provisional for each in made.groups)
    document = Document(made.run, None)
    assert details.render(document) and json.loads(json_output.render(document))


@pytest.mark.parametrize("scatter", [5, 60])
def test_a_case_that_is_alone_is_measured_until_its_time_is_known(study, scatter):
    """To the precision of the run, which a little scatter reaches at once."""
    done = study(group(steady(100, scatter=scatter)), seed=1, precision=0.02)
    (found,) = report.make(done.run).groups
    (case,) = found.cases
    assert done.reason == "decided"
    assert (found.replicates > FEWEST_REPLICATES) == (scatter > 5)
    assert case.ns_per_op.hi / case.ns_per_op.lo < 1.02**2
