"""A file comes into the cache as it was asked for, anew in each replicate; what was left there is
measured first, and touched by nobody.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from iogauge import outputs
from iogauge.host import folios, pagecache
from iogauge.measuring import sampling
from iogauge.measuring.observed import Observer
from iogauge.outputs.document import Document
from tests.e2e.test_real import case
from tests.e2e.test_real import group as real_group
from tests.fake_study import group, steady
from tests.real import measured
from tests.reports import on_console

STATES = ("read-sequential", "read-random", "write-large", "write-small")


def cached_by(*states: str) -> str:
    return f"cached_by = {list(states)}"


def folio_bytes(done) -> dict[str, set[int | None]]:
    """Of the samples of each state."""
    groups, found = done.run.plan.groups, {}
    for each in done.run.samples:
        state = groups[each.group].conditions.cached_by
        found.setdefault(state, set()).add(each.folio_bytes)
    return found


def test_each_state_is_had_and_what_was_seen_is_on_record(study, folder):
    done = study(group(steady(10, 20), size="1M", more=cached_by(*STATES)), folder=folder, seed=1)
    assert done.reason == "decided" and not any(each.void for each in done.run.samples)
    found = folio_bytes(done)
    assert set(found) == set(STATES) and None not in set.union(*found.values())
    if folios.only_one_size(folder):
        assert len(set.union(*found.values())) == 1
        return
    assert min(found["write-large"]) >= 256 << 10
    assert max(found["write-small"] | found["read-random"]) == 4 << 10
    assert len(list(folder.glob("iogauge-data/*.data"))) == 4 + 1, "a file for each, and one source"


def test_each_replicate_brings_the_file_in_anew(study, folder, spied):
    states = ("read-random", "write-small")
    brought = spied(sampling, "bring_in")
    done = study(group(steady(10, 20), more=cached_by(*states)), folder=folder, seed=1)
    times = [state for _, state, *_ in brought]
    replicates = len(done.run.replicates)
    assert {each: times.count(each) for each in states} == dict.fromkeys(states, replicates)


def test_missing_pages_bring_it_in_again_in_the_same_way(study, folder, monkeypatch, spied):
    brought = spied(sampling, "bring_in")
    original, looks = pagecache.observe, iter([0.5] + [1.0] * 10_000)

    def observe(path):
        found = original(path)
        return type(found)(round(found.of * next(looks)), found.of, 0)

    monkeypatch.setattr(pagecache, "evict", lambda path, **named: pagecache.Residency(0, 16, 0))
    monkeypatch.setattr(pagecache, "observe", observe)
    monkeypatch.setattr(sampling.Caching, "put_out", lambda *_: None)
    monkeypatch.setattr("iogauge.host.provable.why_not_observed_in", lambda directory: None)
    done = study(group(steady(10, 20), more=cached_by("read-random")), folder=folder, seed=1)
    assert done.run.samples[0].recached == 1
    assert {state for _, state, *_ in brought} == {"read-random"}


BOTH = group(steady(10, 20), more=cached_by("as-left", "read-random"))


def test_what_was_left_comes_first_and_nobody_touches_it(study, folder, spied):
    """Its file was made just before, so it is cached."""
    evicted = spied(pagecache, "evict")
    progress = []
    done = study(BOTH, folder=folder, seed=1, show=lambda each: progress.append(len(evicted)))
    groups = [done.run.plan.groups[each.groups[0]] for each in done.run.replicates]
    states = [each.conditions.cached_by for each in groups]
    assert states == sorted(states), "as-left, then read-random"
    assert states.count("as-left") >= 3 and states.count("read-random") >= 3
    as_left = [path for path, *_ in evicted if "as-left" in path.name]
    assert not as_left and not any(each.void for each in done.run.samples)
    assert done.reason == "decided"


def test_where_it_leaves_the_cache_what_comes_later_is_void_and_others_go_on(study, folder):
    lost = []

    def show(progress):
        if progress.doing.startswith("round 3") and not lost:
            (path,) = folder.glob("iogauge-data/*as-left.data")
            lost.append(pagecache.evict(path))

    done = study(BOTH, folder=folder, seed=1, show=show)
    groups = done.run.plan.groups
    void = [each.void for each in done.run.samples if groups[each.group].conditions.as_left]
    first = next(number for number, each in enumerate(void) if each)
    assert lost and first and "in the cache before a warm" in void[first]
    assert len(void) > first + 1 and all(void[first:]), "what was read again is no longer as it was"
    (lost_caveat,) = (each for each in done.run.caveats if each.kind == "left-cache")
    assert "no longer as it was" in lost_caveat.text
    said = on_console(outputs.renderer("answers")(Document(done.run)))
    assert "--cached-by read-sequential" in " ".join(said.split())
    replicates = [groups[each.groups[0]].conditions.as_left for each in done.run.replicates]
    assert replicates.count(True) == 1 and replicates.count(False) >= 3
    assert done.reason == "budget", "what was left is not decided"


def test_what_leaves_the_cache_between_replicates_is_noticed_before_anything_reads_it(
    study, folder
):
    lost = []

    def show(progress):
        if progress.doing == "a replicate is complete" and not lost:
            (path,) = folder.glob("iogauge-data/*as-left.data")
            lost.append(pagecache.evict(path))

    done = study(BOTH, folder=folder, seed=1, show=show)
    groups = done.run.plan.groups
    as_left = [each for each in done.run.samples if groups[each.group].conditions.as_left]
    assert lost and as_left and not any(each.void for each in as_left)
    assert len({each.replicate for each in as_left}) == 1
    assert sum("no longer as it was" in each.text for each in done.run.caveats) == 1


def test_what_cannot_be_read_cold_after_all_fails_and_the_rest_is_answered(
    study, folder, monkeypatch
):
    monkeypatch.setattr("iogauge.host.provable.why_not_cold_in", lambda directory: "no cold here")
    text = group(steady(10, 20), cache='["warm", "cold"]', more='cached_by = "as-left"')
    done = study(text, folder=folder, seed=1)
    assert {each.reason for each in done.run.failures} == {"not testable here: no cold here"}
    groups = done.run.plan.groups
    assert {groups[each.groups[0]].conditions.cache for each in done.run.replicates} == {"warm"}


@pytest.mark.parametrize("state", ["write-small", "read-random"])
def test_a_published_protocol_has_it_too_once_in_a_repetition(study, folder, spied, state):
    brought = spied(sampling, "bring_in")
    text = "[published_protocol]\noperations = 3\n" + group(
        steady(10, 20), more=f'protocol = "published"\n{cached_by(state)}'
    )
    done = study(text, folder=folder, seed=1, protocol="published", budget=600.0)
    assert {each for _, each, *_ in brought} == {state}
    assert len(brought) == len(done.run.replicates)
    assert None not in folio_bytes(done)[state]


@pytest.mark.real
def test_nothing_maps_the_file_when_a_sample_begins(disk_folder, monkeypatch):
    """A garbage collector unmaps late, and pages that are mapped already are mapped faster."""
    original, seen = Observer.observe, []

    def observe(self, live_fork, work, *more):
        maps = [each / "maps" for each in Path("/proc").glob("[0-9]*")]
        for each in maps:
            with suppress(OSError):
                seen.append(str(work.path) in each.read_text("utf-8", "replace"))
        return original(self, live_fork, work, *more)

    monkeypatch.setattr(Observer, "observe", observe)
    mapped = case("java/file-channel-mapped") + case("rust/mmap")
    run = measured(real_group("read", "64K", mapped), disk_folder, "nobody-maps")
    by_case = Counter(run.plan.cases[each.case].strategy for each in run.samples)
    assert len(by_case) == 2 and min(by_case.values()) >= 2
    assert seen and not any(seen)
