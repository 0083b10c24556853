"""The published protocols on the real runners: what their run files prove about processes, warm-up,
order, growing files and untimed calls.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from iogauge.commands.statuses import JUDGE
from iogauge.measuring import session
from iogauge.model.method import METHOD
from iogauge.planning import plan
from iogauge.runfile.run import Run
from iogauge.runners.runtimes import Runtimes

pytestmark = pytest.mark.real
# Of the sound protocol:
OWN_WORDS = ("-Xms", "-Xmx", "-Xmn", "-XX:+AlwaysPreTouch")
OWN_WORDS += ("-XX:CompileCommand=CompileThresholdScaling",)
TWICE = METHOD.model_copy(update={"fewest_repetitions": 2, "most_repetitions": 2})
"""A procedure is carried out as often as there is time for; the second time shows that it is the
same again.
"""


def published(study: str, folder: Path, budget: float, max_size: int, *only: str) -> Run:
    options = plan.Options(
        seed=1, budget=budget, protocol="published", max_size=max_size, only=only
    )
    prepared, out = session.prepare(study, Runtimes({}, print), options), folder / f"{study}.jsonl"
    show = lambda progress: None  # noqa: E731
    run, _, _ = session.measure(prepared, folder, out, {}, show, JUDGE, method=TWICE)
    assert run.samples and not run.failures and run.complete
    return run


def need(language: str, languages: set[str]) -> None:
    if language not in languages:
        pytest.skip(f"no toolchain for {language}")


def by_replicate(records: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for each in records:
        found[each.replicate].append(each)
    return [found[number] for number in sorted(found)]


def as_its_authors_started_it(run: Run) -> None:
    """Nothing warmed up, one build, no memory set, compiled when a JVM does so by itself."""
    for fork in run.forks:
        assert not fork.warm_up and fork.layout == 0
        assert not [flag for flag in fork.flags if flag.startswith(OWN_WORDS)]


@pytest.mark.long
def test_one_cold_process_for_each_experiment_in_the_order_of_the_tables(languages, disk_folder):
    need("java", languages)
    run = published("java-stream-writes-2018", disk_folder, 5, 1 << 20)
    as_its_authors_started_it(run)
    experiments = list(dict.fromkeys(group.experiment for group in run.plan.groups))
    assert all(len(each) == len(experiments) for each in by_replicate(run.forks))
    for samples in by_replicate(run.samples):
        by_fork = {each.fork: run.plan.groups[each.group].experiment for each in samples}
        assert list(by_fork.values()) == experiments
        assert [each.case for each in samples] == list(range(len(run.plan.cases)))
    first = by_replicate(run.samples)[0]
    assert {tuple(each.operations) for each in first} <= {(count,) for count in range(1, 26)}
    assert not [each for each in first if each.prelude_ns], "one span, nothing before it"
    assert {each.untimed for each in first} == {0}


@pytest.mark.long
def test_a_process_for_each_and_a_file_that_grows(languages, disk_folder):
    need("java", languages)
    run = published("filewriter-bufferedwriter-jmh", disk_folder, 6, 20)
    as_its_authors_started_it(run)
    for forks, samples in zip(by_replicate(run.forks), by_replicate(run.samples), strict=True):
        assert len(forks) == len(run.plan.cases) == len({each.fork for each in samples})
        grown: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for each in samples:
            size = run.plan.cases[each.case].workload.size
            grown[each.group].append((each.file_before, sum(each.operations) * size))
        for lengths in grown.values():
            assert len(lengths) == 20, "two writers, ten iterations each, into one file"
            assert lengths[0][0] > 0, "warm-ups had grown it already"
            for (before, added), (after, _) in zip(lengths, lengths[1:], strict=False):
                assert after >= before + added
    assert any("instead of 10 s" in each.text for each in run.caveats)


def test_untimed_calls_then_one_that_is_timed(languages, disk_folder):
    need("java", languages)
    few = [f"java/published-{each}" for each in ("file-input-stream*", "*mapped", "read-all-bytes")]
    run = published("java-read-eleven-ways", disk_folder, 60, 3 << 20, *few)
    as_its_authors_started_it(run)
    first = by_replicate(run.samples)[0]
    assert {(each.untimed, tuple(each.operations)) for each in first} == {(50, (1,))}
    assert all(len(each) == len(run.plan.groups) for each in by_replicate(run.forks))
    assert {each.resident_before for each in run.samples} == {1.0}


def test_one_call_of_each_way(languages, disk_folder):
    need("go", languages)
    run = published("go-read-four-ways", disk_folder, 60, 1 << 20)
    as_its_authors_started_it(run)
    assert {(each.untimed, tuple(each.operations)) for each in run.samples} == {(0, (1,))}
    assert all(len(each) == len(run.plan.groups) for each in by_replicate(run.forks))
