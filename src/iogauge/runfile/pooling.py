"""Which replicates may be pooled: the one place that says so."""

from __future__ import annotations

from typing import NamedTuple

from iogauge.runfile.header import Header


class Place(NamedTuple):
    """Where a run was measured: the identity of the host, and the kind of the file system. None
    where it is not known.
    """

    identity: str | None
    file_system: str | None


class PoolKey(NamedTuple):
    """What decides whether replicates of two runs may be pooled. `method` is the hash of the
    method; `builds` has the build of each runtime's runner, by the name of the runtime.
    """

    iogauge: str
    place: Place
    method: str
    builds: dict[str, str]


class RunIdentity(NamedTuple):
    """What all copies of a run have in common, whatever their files are called. `host` is the
    identity of the host, None where it is not known.
    """

    id: str
    started: str
    host: str | None


def identity(header: Header) -> RunIdentity:
    return RunIdentity(header.id, header.started, header.host.get("identity"))


def pool_key(header: Header) -> PoolKey:
    return PoolKey(
        header.iogauge,
        Place(header.host.get("identity"), header.host.get("file_system")),
        header.method.hash,
        {runtime.name: runtime.build for runtime in header.runtimes},
    )


def poolable_runtimes(one: PoolKey, other: PoolKey) -> frozenset[str]:
    """The names of the runtimes whose replicates in two runs may be pooled: none unless both were
    measured by one version of iogauge, at one known place, by one method.
    """
    if None in one.place or one[:3] != other[:3]:
        return frozenset()
    return frozenset(name for name, build in one.builds.items() if other.builds.get(name) == build)
