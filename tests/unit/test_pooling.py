import pytest

from iogauge.model.method import METHOD
from iogauge.runfile.header import poolable_runtimes
from tests.runs import empty_run


@pytest.fixture
def header(fake):
    found = empty_run(fake, 10, 20).header
    return found.model_copy(update={"host": {**found.host, "identity": "here"}})


def on(header, **facts):
    return header.model_copy(update={"host": {**header.host, **facts}})


def built(header, **builds):
    """With a runtime for each of these builds."""
    (one,) = header.runtimes
    runtimes = [
        one.model_copy(update={"name": name, "build": build}) for name, build in builds.items()
    ]
    return header.model_copy(update={"runtimes": tuple(runtimes)})


def test_replicates_of_two_runs_alike_may_be_pooled(header):
    assert poolable_runtimes(header, header.model_copy()) == {"fake-1.0"}


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.model_copy(update={"iogauge": "another"}),
        lambda header: on(header, identity="another"),
        lambda header: on(header, file_system="another"),
        lambda header: header.model_copy(
            update={"method": METHOD.model_copy(update={"prelude": 0.009})}
        ),
        lambda header: built(header, **{"fake-1.0": "another"}),
        lambda header: built(header, **{"fake-2.0": "of a runtime that the other has not"}),
    ],
)
def test_what_may_make_replicates_differ_keeps_them_apart(header, change):
    other = change(header)
    assert poolable_runtimes(header, other) == poolable_runtimes(other, header) == frozenset()


@pytest.mark.parametrize("fact", ["identity", "file_system"])
def test_a_place_that_is_not_known_is_none(header, fact):
    unknown = on(header, **{fact: None})
    assert poolable_runtimes(unknown, unknown) == frozenset()


def test_only_runtimes_of_the_same_build_are_pooled(header):
    both, other = built(header, a="1", b="1"), built(header, a="1", b="2")
    assert poolable_runtimes(both, other) == {"a"}
