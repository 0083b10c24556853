"""The contract of docs/wire.md, for every runner whose toolchain is here, and for the fake one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from iogauge.model.strategy import Strategy
from iogauge.runners import catalogue, conformance, finding, manifest, preparing, wire
from iogauge.runners.conformance import data
from iogauge.runners.conformance.subject import writes_file

DOES_NOT_TELL = ("mapped", "mmap", "print-writer", "copy-file-range", "cpp/copy-file", "dontcache")
"""APIs that say only that something failed, or fail as memory does, or do not cross file systems,
or are not for the small one.
"""
LIBRARIES = ("commons-", "guava-", "liferay-", "kotlinx-io-", "okio-", "numpy-")
"""What the strategies of libraries begin with: these are the same whatever the version below."""

SOUND = (
    *("steady", "null", "absent", "spoilt", "text", "lines", "random", "stream", "memory"),
    *("adding", "writing", "in-memory", "stream-writing", "drawing"),
)
"""The fake's other strategies break the contract on purpose."""


def _subjects(every: bool) -> list[conformance.Subject]:
    """The first runtime of each runner, or every runtime found: a runner that works on one version
    of its language has to work on all of them. A launcher may find a runtime once more, under the
    same name: to build the runner with it, too, would take long.
    """
    subjects = []
    for runner in manifest.all_runners():
        found = [] if preparing.prepare({}, print, [runner])[1] else finding.installed(runner)
        first: dict[str, finding.Installed] = {}
        for each in found:
            first.setdefault(each.name(runner), each)
        for each in list(first.values())[: None if every else 1]:
            chosen = {runner.name: [finding.Choice(str(each.executable))]}
            ready, _ = preparing.prepare(chosen, print, [runner])
            subjects += [conformance.Subject(_compiled_quickly(one)) for one in ready]
    return list({subject.ready.runtime.name: subject for subject in subjects}.values())


def _compiled_quickly(ready: preparing.Ready) -> preparing.Ready:
    """A JVM that compiles plainly: hundreds of strategies are called a few times each, and to
    compile them well takes more than to run them.
    """
    if ready.runtime.runner != "jvm":
        return ready
    java, *more = ready.launch.command
    launch = replace(ready.launch, command=(java, "-XX:TieredStopAtLevel=1", *more))
    return replace(ready, launch=launch)


_TOO_LARGE = ": too large"


def is_sound(strategy: str) -> bool:
    return not strategy.startswith("fake/") or strategy.removeprefix("fake/") in SOUND


def _strategy(check: conformance.Check) -> str:
    """Whose check it is; of those that are nobody's, its own name."""
    return check.name.partition(":")[0]


def _test(check: conformance.Check) -> str:
    """What is tested together: the checks of a strategy, but files too large alone: they take 2 GiB
    each, mostly in memory, and seconds per way to read a whole file.
    """
    return check.name if check.name.endswith(_TOO_LARGE) else _strategy(check)


def _checks(subject: conformance.Subject) -> list[conformance.Check]:
    """All that are to hold. On a further version of a language only those in which the version has
    a part: nothing of what is a library's, not what the runner refuses by itself, and each way to
    read or write with one kind of consumer, which is the runner's own code. Files too large are
    large for the interface of an API, which versions have in common.
    """
    sound = [each for each in conformance.checks(subject) if is_sound(_strategy(each))]
    if _is_first(subject):
        return sound
    left = set()
    for each in subject.strategies:
        names = {
            "too large",
            "workload",
            "parameters",
            *map("reads, {}".format, each.consumes[:-1]),
        }
        left |= {f"{each.name}: {name}" for name in names}
    own = [each for each in sound if not each.name.partition("/")[2].startswith(LIBRARIES)]
    return [each for each in own if each.name not in left]


def _is_first(subject: conformance.Subject) -> bool:
    """Whether it is the first runtime of its runner."""
    runner = subject.ready.runtime.runner
    return subject is next(each for each in EXAMINED if each.ready.runtime.runner == runner)


EXAMINED: list[conformance.Subject] = []


def pytest_generate_tests(metafunc):
    """Further versions of a language take long, and are only started where such tests are asked
    for. The checks of a strategy are one test: one for each of thousands would take longer than
    what it does.
    """
    if not EXAMINED:
        EXAMINED.extend(_subjects(every="not long" not in metafunc.config.option.markexpr))

    def param(value, name, subject, long=False):
        long = long or not _is_first(subject)
        return pytest.param(value, id=name, marks=pytest.mark.long if long else ())

    names = {each: each.ready.runtime.name for each in EXAMINED}
    if "checks" in metafunc.fixturenames:
        tests = [
            param(list(checks), f"{names[each]}: {name}", each, name.endswith(_TOO_LARGE))
            for each in EXAMINED
            for name, checks in groupby(_checks(each), _test)
        ]
        metafunc.parametrize("checks", tests)
    if "subject" in metafunc.fixturenames:
        metafunc.parametrize("subject", [param(each, names[each], each) for each in EXAMINED])


@pytest.fixture(scope="session", autouse=True)
def end_of_subjects():
    """At the very end: who is done with these tests may yet take some over from another worker."""
    yield
    for subject in EXAMINED:
        subject.close()


def test_contract(checks):
    assert not {check.name: problem for check in checks if (problem := conformance.problem(check))}


def test_the_catalogue_is_what_the_runner_declares(subject):
    """`python -m iogauge.runners.catalogue FOLDER` writes it anew."""
    runtime = subject.ready.runtime
    runner = next(each for each in manifest.all_runners() if each.name == runtime.runner)
    assert catalogue.problem(runner, runtime) is None


def test_a_real_language_is_examined():
    assert {subject.ready.runtime.runner for subject in EXAMINED} - {"fake"}


def test_a_disk_that_becomes_full(subject, tmp_path):
    """What does not fit is an error, also where the first writes did fit; a mapped file may fail in
    its own words.
    """
    able = [each for each in subject.strategies if not each.unavailable]
    writers = [each for each in able if writes_file(each) and is_sound(each.name)]
    # In a process of its own: in a Java 17 that has compiled what writes a mapped file, it looks for
    # the descriptor that is lost (see below) for ten seconds.
    subject.fork.kill()
    with small_disk(tmp_path) as disk:
        if not takes_direct(disk):
            writers = [each for each in writers if not each.bypasses_cache]
        problems = {each.name: writes_too_much(subject, each, disk) for each in writers}
    assert not {name: problem for name, problem in problems.items() if problem}


def takes_direct(disk: Path) -> bool:
    """Whether files there can be written around the page cache: those of tmpfs since Linux 6.6."""
    try:
        os.close(os.open(disk / "direct", os.O_CREAT | os.O_WRONLY | os.O_DIRECT))
    except OSError:
        return False
    finally:
        (disk / "direct").unlink(missing_ok=True)
    return True


def writes_too_much(subject: conformance.Subject, strategy: Strategy, disk: Path) -> str | None:
    """What is wrong with how it fails to write 1 MiB where 256 KiB fit; the disk is empty before
    and after.
    """
    path = disk / "file"
    payload = data.plain(strategy.sums, data.LARGE)
    try:
        subject.open(strategy, payload=payload)
        request = wire.sample(1, 1, [str(path)])
        reason = subject.refused(request, "1 MiB where 256 KiB fit", str(path))
        try:
            subject.fork.ask(wire.release(), timeout=60)
        except conformance.Refusal:
            # The fault of a mapped page may reach Java 17 inside the channel's close: its
            # descriptor is lost for good, and the runner says so. The host then gives up the fork,
            # and so do we.
            if not strategy.name.endswith("mapped"):
                raise
            subject.fork.kill()
    except (conformance.Broken, conformance.Refusal, conformance.WireError) as error:
        return str(error)
    finally:
        path.unlink(missing_ok=True)
    told = "space" in reason.lower() or strategy.name.endswith(DOES_NOT_TELL)
    return None if told else f"nothing of space in its reason: {reason}"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    if os.geteuid():
        pytest.skip("only root can mount a small disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "iogauge-test", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
