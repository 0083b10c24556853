"""How a file comes into the page cache: as a key of a study, in a plan, and as it is done."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from iogauge.corpus.data_files import DataSpec
from iogauge.corpus.store import Corpus
from iogauge.host import bringing_in, pagecache, provable
from iogauge.host.folios import OneSize
from iogauge.model.errors import UserError
from iogauge.model.workload import Conditions
from iogauge.planning import plan as planning
from iogauge.planning.options import Machine, Options
from iogauge.runners.task import source_of
from iogauge.study import loading
from tests.reports import declared, parameter
from tests.reports import runtime as runtime_of

STREAM = declared("go/stream", parameters={"block": parameter("block", max=1 << 20)})
GO = runtime_of("go-1.26", [STREAM], heap_minimum_mib=0, overhead_mib=64)
SIZE = 'size = "1M"\n'
STATES = 'cached_by = ["read-sequential", "write-small"]'


def study_of(keys, before=""):
    return loading.parse(
        f'id = "s"\ntitle = "T"\n{before}[[group]]\nid = "g"\nquestion = "?"\n'
        f'{"" if "size =" in keys else SIZE}{keys}\n[[group.case]]\nstrategy = "go/stream"\nparameters = {{ block = ["8K", "64K"] }}\n',
        "s.toml",
    )


def plan_of(keys, *, alike=None, known=True, before="", memory=16 << 30, **options):
    machine = Machine((GO,), {}, memory, 2, one_state=alike and OneSize(alike, known))
    return planning.make(study_of(keys, before), "s.toml", machine, Options(**options))


def states(plan):
    return [(each.id, each.conditions.cache, each.conditions.cached_by) for each in plan.groups]


def test_what_is_cached_is_read_in_order_unless_something_else_is_asked_for():
    assert states(plan_of("")) == [("g", "warm", "read-sequential")]
    assert states(plan_of('cache = ["warm", "cold", "as-left"]')) == [
        ("g-warm", "warm", "read-sequential"),
        ("g-cold", "cold", None),
        ("g-as-left", "as-left", "as-left"),
    ]
    assert states(plan_of('cached_by = "write-large"')) == [("g", "warm", "write-large")]
    memory = plan_of("", cached_by=("write-small",))
    assert states(memory) == [("g-write-small", "warm", "write-small")], "another than its own"
    (again,) = states(plan_of('cached_by = "write-small"', cached_by=("write-small",)))
    assert again[0] == "g", "claims name it so"
    assert [each[0] for each in states(plan_of(STATES, cached_by=("write-small",)))] == [
        "g-write-small"
    ]
    asked = plan_of("", cached_by=("write-small",), questions=("g-write-small",))
    assert [each.id for each in asked.groups] == ["g-write-small"]


def test_several_states_are_groups_of_their_own_and_compared_unasked():
    plan = plan_of(f'cache = ["warm", "cold"]\n{STATES}')
    assert states(plan) == [
        ("g-warm-read-sequential", "warm", "read-sequential"),
        ("g-warm-write-small", "warm", "write-small"),
        ("g-cold", "cold", None),
    ]
    (span,) = plan.spans
    assert (span.along, span.groups) == ("cached_by", (0, 1))
    assert [span.value(plan.groups[each]) for each in span.groups] == [
        "read-sequential",
        "write-small",
    ]
    assert len(plan.bundles) == 1, "they share forks"


def test_a_state_is_part_of_the_key_and_an_older_one_without_is_another():
    one, other = (case.key for case in plan_of(STATES).cases[:4:3])
    assert "cached_by=read-sequential" in one and "cached_by=write-small" in other
    assert str(Conditions(cache="warm")) == "cache=warm", "as older versions wrote it"


def test_what_is_to_stay_as_it_is_has_forks_of_its_own():
    plan = plan_of('cached_by = ["as-left", "read-random"]')
    assert [each.groups for each in plan.bundles] == [(0,), (1,)]
    assert not plan.spans, "no replicate has both"


def test_where_all_states_are_alike_one_is_measured():
    why = "btrfs keeps all files alike"
    plan = plan_of(STATES, alike=why)
    assert states(plan) == [("g-read-sequential", "warm", "read-sequential")] and not plan.spans
    (skipped,) = plan.skipped
    assert (skipped.what, skipped.why) == (
        "g: cached by write-small",
        f"it is as read-sequential here: {why}",
    )
    assert not plan_of('cached_by = "write-small"', alike=why).skipped, "it was asked for"
    large = 'size = "512M"\ncached_by = ["write-large", "read-random"]'
    only = plan_of(large, alike=why, memory=1536 << 20)
    assert [each.conditions.cached_by for each in only.groups] == ["read-random"], "it is measured"
    (unseen,) = plan_of(STATES, alike=why, known=False).skipped
    assert (unseen.why, unseen.alike) == (why, None), "nobody knows whether they are alike"


def test_the_command_line_changes_no_published_state_and_leaves_out_what_it_cannot_have():
    published = "[published_protocol]\noperations = 3\n"
    text = 'protocol = "published"'
    with pytest.raises(UserError, match="in the state in which their file was; leave out"):
        plan_of(text, before=published, protocol="published", cached_by=("read-random",))
    both = plan_of('content = ["bytes", "sparse"]', cached_by=("write-small", "read-random"))
    assert [each.id for each in both.groups] == [
        "g-bytes-write-small", "g-bytes-read-random", "g-sparse-read-random"
    ]  # fmt: skip
    assert [each.why for each in both.skipped] == ["a sparse file has nothing to write"]


def test_what_is_written_anew_needs_room_for_what_it_is_written_from():
    keys = 'size = "512M"\ncached_by = ["write-small", "read-random"]'
    plan = plan_of(keys, memory=1536 << 20)
    assert [each.conditions.cached_by for each in plan.groups] == ["read-random"]
    assert "they do not stay in the cache" in plan.skipped[0].why


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ('cache = "as-left"\ncached_by = "write-large"', "'as-left' is all that goes with"),
        ('cache = "cold"\ncached_by = "write-large"', "does not apply to cache = 'cold'"),
        ('operation = "write"\ncached_by = "write-large"', "cached_by does not apply to"),
        ('cached_by = "written"', "'written' is not allowed; allowed: 'read-sequential'"),
        ('content = "sparse"\ncached_by = "write-small"', "a sparse file has nothing"),
        (f'cache = ["warm", "cold"]\nalong = "cache"\n{STATES}', "give one value"),
    ],
)
def test_what_does_not_go_together_is_said(keys, says):
    with pytest.raises(UserError) as error:
        plan_of(keys)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_each_state_has_a_data_file_and_what_is_written_anew_has_a_source():
    assert source_of(DataSpec("bytes", 10, "read-random")) is None
    assert source_of(DataSpec("text", 10, "write-small", "gzip", 2)) == DataSpec(
        "text", 10, "payload", "gzip"
    )
    assert source_of(DataSpec("own", 10, "write-large")).use == "as-left"


@pytest.mark.parametrize("state", ["read-sequential", "read-random", "write-large", "write-small"])
def test_a_file_comes_in_whole_with_the_same_bytes(state, folder):
    """Of odd length, so that the last piece is a short one."""
    data = os.urandom(3_000_001)
    path, source = folder / "data", folder / "source"
    path.write_bytes(data)
    source.write_bytes(data)
    known = path.stat()
    pagecache.evict(path)
    bringing_in.bring_in(path, state, source)
    found, seen = path.stat(), pagecache.observe(path)
    assert seen.share == 1 and not seen.dirty
    assert path.read_bytes() == data
    assert (found.st_ino, found.st_mtime_ns) == (known.st_ino, known.st_mtime_ns)


def test_what_is_to_be_written_needs_a_source(folder):
    path = folder / "data"
    path.write_bytes(b"1")
    with pytest.raises(ValueError, match="nothing to write it from"):
        bringing_in.bring_in(path, "write-small")
    assert path.read_bytes() == b"1"


def test_a_data_file_that_was_written_anew_is_still_intact(folder):
    spec = DataSpec("text", 100_000, "write-small")
    corpus = Corpus(folder)
    try:
        manifest = corpus.provide(spec)
        source = source_of(spec)
        corpus.provide(source)
        before = corpus.path(spec).stat().st_ino
        bringing_in.bring_in(corpus.path(spec), "write-small", corpus.path(source))
        assert corpus.provide(spec) == manifest and corpus.path(spec).stat().st_ino == before
    finally:
        corpus.close()


def test_a_copy_of_a_users_file_is_private_and_goes_with_the_run(folder):
    from iogauge.corpus.own_file import OwnFile

    theirs = folder / "theirs"
    theirs.write_bytes(b"line\n" * 1000)
    corpus = Corpus(folder, OwnFile(theirs))
    spec = DataSpec("own", 5000, "write-large")
    corpus.provide(spec)
    copy = corpus.path(spec)
    assert copy != theirs and copy.read_bytes() == theirs.read_bytes()
    assert copy.stat().st_mode & 0o077 == 0
    assert corpus.path(DataSpec("own", 5000, "as-left")) == theirs
    corpus.close()
    assert not copy.exists() and theirs.exists()


def test_to_see_whether_a_file_can_be_observed_leaves_the_cache_as_it_was(folder):
    path = folder / "data"
    path.write_bytes(bytes(1 << 16))
    bringing_in.write_back(path)
    pagecache.evict(path)
    assert provable.why_not_observed(path) is None
    assert pagecache.observe(path).pages == 0, "what was read to see it is gone again"


def test_a_state_of_a_users_file_is_had_or_refused(folder):
    from iogauge.commands.options import LARGEST_COPY, states_of_own

    theirs = folder / "theirs"
    theirs.write_bytes(b"line\n")

    def own(cached=1.0, length=5, path=theirs):
        return SimpleNamespace(cached=cached, file_size=length, path=path)

    assert states_of_own(None, own(), folder) == ("as-left",)
    assert states_of_own(None, own(), folder, versions=True) == ("read-sequential",)
    assert states_of_own("as-left", own(), folder, versions=True) == ("as-left",)
    assert states_of_own(None, own(0.99), folder) == ("read-sequential",)
    assert states_of_own(None, own(None), folder) == ("read-sequential",)
    assert states_of_own("write-small, as-left", own(), folder) == ("write-small", "as-left")
    for given, of, says in (
        ("as-left", own(0.5), "50.0% of it is not"),
        ("as-left", own(None), "nobody can tell"),
        ("write-large", own(length=LARGEST_COPY + 1), "at most 256 MiB"),
        ("warm", own(), "--cached-by warm"),
    ):
        with pytest.raises(UserError) as error:
            states_of_own(given, of, folder)
        assert says in str(error.value)
