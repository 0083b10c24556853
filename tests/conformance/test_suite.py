"""The suite itself: each promise that a runner breaks is found by the check that is for it.

The fake runner is asked in this process, through something that spoils what it is told, does or
says.
"""

from __future__ import annotations

import importlib.util
import json
import mmap
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from iogauge.host import pagecache
from iogauge.model.strategy import Parameter
from iogauge.runners import conformance, wire

FAKE = Path(__file__).parents[1] / "runners" / "fake" / "fake_runner.py"


def broken(subject: conformance.Subject, names: str) -> list[str]:
    """What is wrong according to the checks whose names begin like this."""
    checks = (each for each in conformance.checks(subject) if each.name.startswith(names))
    return [each for each in map(conformance.problem, checks) if each is not None]


@pytest.fixture
def subject(fake):
    subject = conformance.Subject(fake)
    yield subject
    subject.close()


@pytest.mark.parametrize(
    "fault", ["wrong-sum", "wrong-count", "too-few-spans", "garbage", "chatty", "dies", "refuses"]
)
def test_faults_of_processes(subject, fault):
    assert len(broken(subject, f"fake/{fault}: reads")) == 3


@pytest.mark.parametrize("fault", ["writes-less", "writes-other", "forgets-to-write"])
def test_faults_of_writing(subject, fault):
    modes = ("writes, truncate", "writes, append", "writes, durability none")
    for check in ("writes", *modes, "bad paths"):
        assert broken(subject, f"fake/{fault}: {check}")


def piece(**changes) -> Parameter:
    """The size of a piece, or what a test makes of it."""
    given = {"default": 1, "min": 1, "max": 2, "unit": "bytes", "role": "piece"}
    return Parameter(**{**given, **changes})


class Spoilt:
    """A runner in this process. By itself it does nothing wrong; `answer` is given the fake runner
    and a request, and `changed` are other functions of the fake.
    """

    def __init__(self, answer=None, **changed):
        specification = importlib.util.spec_from_file_location("fake_runner", FAKE)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        self.fake = module.Fake()
        self.alive, self.pid = True, os.getpid()
        vars(self.fake).update(changed)
        self.answer = partial(answer, self.fake) if answer else self.fake.answer

    def ask(self, request, timeout):
        answer = self.answer(request)
        if "error" not in answer:
            answer = {"verb": request["verb"], **answer}
        return wire.decode(request["verb"], json.dumps(answer).encode())

    def end(self):
        self.alive = False


def opens_anything(fake, request):
    return {} if request["verb"] == "open" else fake.answer(request)


def names_nothing(fake, request):
    answer = fake.answer(request)
    return {"error": "something is wrong somewhere"} if "error" in answer else answer


def with_work(request, **changed):
    """An opening for another workload; every other request as it is."""
    if request["verb"] != "open":
        return request
    return {**request, "workload": {**request["workload"], **changed}}


def mixes_modes(fake, request):
    mode = request["workload"]["mode"] if request["verb"] == "open" else None
    other = {"truncate": "append", "append": "truncate", None: None}
    return fake.answer(with_work(request, mode=other[mode]))


def never_syncs(fake, request):
    return fake.answer(with_work(request, durability="none"))


def swallows_errors(fake, request):
    answer = fake.answer(request)
    if request["verb"] != "sample" or "error" not in answer:
        return answer
    many, operations = request["spans"], [request["operations"]]
    return {"ns": [1] * many, "operations": operations * many, "count": [0] * many, "sum": None}


def first_path(request) -> str:
    return request["paths"][0] if request["verb"] == "sample" and request["paths"] else ""


def keeps_files_open(fake, request):
    if os.path.isfile(first_path(request)):
        fake.held = Path(first_path(request)).open("rb")  # noqa: SIM115
    return fake.answer(request)


def keeps_files_mapped(fake, request):
    answer, path = fake.answer(request), first_path(request)
    if os.path.isfile(path) and os.path.getsize(path):
        with open(path, "rb") as file:
            fake.held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return answer


def sums_every_operation(fake, request):
    answer = fake.answer(request)
    if answer.get("sum"):
        answer["sum"] = [each * request["operations"] for each in answer["sum"]]
    return answer


def sorts_offsets(fake, request):
    """Harmless for sums of bytes, which are the same in any order, but not all offsets are used."""
    answer = fake.answer(request)
    fake.offsets = sorted(fake.offsets)[:-1]
    return answer


def removes_what_it_could_not_fill(fake, request):
    """As an API may; the link that stood there is no part of the full disk."""
    answer = fake.answer(request)
    if "error" in answer and os.path.islink(first_path(request)):
        os.unlink(first_path(request))
    return answer


def replaces_what_it_could_not_fill(fake, request):
    answer, path = removes_what_it_could_not_fill(fake, request), first_path(request)
    if "error" in answer and path and not os.path.exists(path):
        Path(path).touch()
    return answer


def lines_with_returns(data):
    return [len(line) for line in data.decode().removesuffix("\n").split("\n") if data]


def test_a_full_disk_may_cost_the_link_to_it_and_no_more(subject):
    subject._fork = Spoilt(removes_what_it_could_not_fill)
    assert not broken(subject, "fake/writing: full disk")
    subject._fork = Spoilt(replaces_what_it_could_not_fill)
    assert broken(subject, "fake/writing: full disk") == ["the file was replaced"]


@pytest.mark.parametrize(
    "wrong, checks",
    [
        (opens_anything, ["writing: parameters", "writing: workload"]),
        (opens_anything, [f"{each}: prepared files" for each in ("writing", "memory", "random")]),
        (names_nothing, ["writing: parameters", "steady: workload", "steady: bad files"]),
        (names_nothing, ["writing: bad paths", "writing: full disk"]),
        (mixes_modes, ["writing: writes, truncate", "writing: writes, append"]),
        (swallows_errors, ["writing: bad paths", "writing: full disk", "writing: release"]),
        (swallows_errors, ["steady: bad files", "random: bad files"]),
        (keeps_files_open, ["writing: release", "steady: release", "random: release"]),
        (keeps_files_mapped, ["writing: release", "steady: release", "random: release"]),
        (sums_every_operation, ["in-memory: writes"]),
        ({"values": bytes}, ["text: reads, sum", "text: reads, none", "lines: reads, none"]),
        ({"values": lines_with_returns}, ["lines: reads, sum"]),
        (
            {"values": lambda data: [len(line) for line in data.decode().split() if line]},
            ["lines: reads, none", "lines: reads, sum"],
        ),
        (
            {"values": lambda data: [len(line) for line in data.decode().splitlines()]},
            ["lines: peculiarities"],
        ),
        (
            {"values": lambda data: [len(line) for line in data.split(b"\0")[0].splitlines()]},
            ["lines: peculiarities"],
        ),
        ({"touched": lambda data: data[::64]}, ["random: reads, touch"]),
        (sorts_offsets, ["random: reads, none", "random: reads, touch", "random: reads, sum"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_broken_promises(subject, wrong, checks):
    for check in checks:
        subject._fork = Spoilt()
        assert not broken(subject, f"fake/{check}")
        subject._fork = Spoilt(**wrong) if isinstance(wrong, dict) else Spoilt(wrong)
        assert broken(subject, f"fake/{check}"), check


def declares(**more):
    """A runner whose strategies have these keys as well, as a later contract, or a slip of the pen,
    adds them.
    """

    def answer(fake, request):
        answer = fake.answer(request)
        if request["verb"] == "list":
            answer = {**answer, "strategies": [{**each, **more} for each in answer["strategies"]]}
        return answer

    return Spoilt(answer)


@pytest.mark.parametrize(
    "call, problem",
    [
        ("read", "fake/steady and fake/allocating have the same call 'read'"),
        ("", "fake/steady declares no call"),
    ],
)
def test_people_could_not_tell_strategies_apart(subject, call, problem):
    subject._fork = declares(call=call)
    assert broken(subject, "list") == [problem]


def test_unknown_keys_of_strategies_are_ignored_and_a_check_names_them(subject):
    subject._fork = Spoilt()
    known = subject.fork.ask(wire.list_strategies(), 5).strategies
    subject._fork = declares(colour="red", needs={"sugar": 1})
    told = subject.fork.ask(wire.list_strategies(), 5)
    assert [each.name for each in told.strategies] == [each.name for each in known]
    (problem,) = broken(subject, "list")
    assert "fake/steady.colour" in problem and f"{known[0].name}.needs.sugar" in problem


def test_files_that_are_not_durable(subject):
    path = subject.new_path()
    path.write_bytes(b"not written yet")
    if not pagecache.observe(path).dirty:
        pytest.skip("this system does not tell what waits to be written")
    subject._fork = Spoilt(never_syncs)
    assert broken(subject, "fake/writing: writes, durability fsync")


@pytest.mark.parametrize(
    "strategy, changes, checks",
    [
        ("writing", {"modes": ()}, "declaration"),
        ("writing", {"durabilities": ("none", "sync-inode")}, "declaration"),
        ("writing", {"consumes": ("none", "sum")}, "declaration"),
        ("writing", {"generates": True}, "declaration"),
        ("writing", {"replaces": True}, "declaration"),
        ("in-memory", {"modes": ("truncate",)}, "declaration"),
        ("in-memory", {"bypasses_cache": True}, "declaration"),
        ("steady", {"bypasses_cache": True, "mapped": True}, "declaration"),
        ("steady", {"bypasses_cache": True}, "bypasses the cache"),
        ("writing", {"bypasses_cache": True}, "bypasses the cache"),
        ("in-memory", {"format": "java-object-stream"}, "declaration"),
        ("text", {"consumes": ("touch",)}, "declaration"),
        ("text", {"buffer": None}, "declaration"),
        ("lines", {"data": None}, "declaration"),
        ("random", {"opens": None}, "declaration"),
        ("writing", {"data": "copied"}, "declaration"),
        ("in-memory", {"opens": "each"}, "declaration"),
        ("mapping", {"data": "copied"}, "declaration"),
        ("steady", {"durabilities": ("none",)}, "declaration"),
        ("writing", {"trips_on": ("nul",)}, "declaration"),
        ("lines", {"trips_on": ("nul",)}, "peculiarities"),
        ("lines", {"trips_on": ("trailing-data",)}, "peculiarities"),
        ("random", {"parameters": {}}, "declaration"),
        ("random", {"parameters": {"block": piece(default=0)}}, "declaration"),
        ("random", {"parameters": {"block": piece(unit="count")}}, "declaration"),
        ("random", {"parameters": {"block": piece(unit="chars")}}, "declaration"),
        ("random", {"parameters": {"block": piece(role="other")}}, "declaration"),
        ("random", {"parameters": {"block": piece(), "piece": piece()}}, "declaration"),
        ("random", {"parameters": {"block": piece(tried={"warm": (1,)})}}, "declaration"),
        ("ceiling", {"parameters": {"block": piece(tried={"warm": (0,)})}}, "declaration"),
        ("ceiling", {"parameters": {"block": piece(tried={"warm": ()})}}, "declaration"),
        ("steady", {"parameters": {"on": piece(unit="switch", role="switch")}}, "declaration"),
        ("adding", {"medium": "file"}, "declaration"),
        ("steady", {"compute_only": "fake/none"}, "compute_only"),
        ("steady", {"compute_only": "fake/steady"}, "compute_only"),
        ("steady", {"compute_only": "fake/memory"}, "compute_only"),
        ("adding", {"consumes": ("sum",)}, "compute_only"),
        ("adding", {"sums": "utf16"}, "compute_only"),
        ("adding", {"unavailable": "tired"}, "compute_only"),
    ],
)
def test_declarations_that_contradict_themselves(subject, strategy, changes, checks):
    runtime = subject.ready.runtime
    name = f"fake/{strategy}"
    changed = {**runtime.strategies, name: runtime.strategies[name].model_copy(update=changes)}
    spoilt = replace(subject.ready, runtime=runtime.model_copy(update={"strategies": changed}))
    other = conformance.Subject(spoilt)
    # The one that names it.
    of = "fake/steady" if strategy == "adding" and checks == "compute_only" else name
    if checks == "bypasses the cache" and not other.can_evict:
        pytest.skip("what is in the cache cannot be seen here")
    try:
        assert not broken(subject, f"{of}: {checks}")
        assert broken(other, f"{of}: {checks}")
    finally:
        other.close()
