import pytest

from iogauge.model.method import METHOD
from iogauge.runfile.header import pool_key, poolable_runtimes
from tests.runs import empty_run


@pytest.fixture
def key(fake):
    header = empty_run(fake, 10, 20).header
    return pool_key(header.model_copy(update={"host": {**header.host, "identity": "here"}}))


def test_replicates_of_two_runs_alike_may_be_pooled(key):
    assert poolable_runtimes(key, key) == {"fake-1.0"}


@pytest.mark.parametrize(
    "changed",
    [
        {"iogauge": "another"},
        {"identity": "another"},
        {"file_system": "another"},
        {"method": METHOD.model_copy(update={"prelude": 0.009}).hash},
        {"builds": {"fake-1.0": "another"}},
        {"builds": {"fake-2.0": "of a runtime that the other has not"}},
    ],
)
def test_what_may_make_replicates_differ_keeps_them_apart(key, changed):
    place = {name: changed[name] for name in key.place._fields if name in changed}
    rest = {name: value for name, value in changed.items() if name not in place}
    other = key._replace(place=key.place._replace(**place), **rest)
    assert other != key
    assert poolable_runtimes(key, other) == poolable_runtimes(other, key) == frozenset()


def test_a_place_that_is_not_known_is_none(key):
    for name in key.place._fields:
        unknown = key._replace(place=key.place._replace(**{name: None}))
        assert poolable_runtimes(unknown, unknown) == frozenset()


def test_only_runtimes_of_the_same_build_are_pooled(key):
    both = key._replace(builds={"a": "1", "b": "1"})
    assert poolable_runtimes(both, key._replace(builds={"a": "1", "b": "2"})) == {"a"}
