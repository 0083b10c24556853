"""What starts workers, and starts them again: each text is run as its kind of cluster would run it.
The worker is killed in the middle; what it measures goes on, and another worker follows it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.e2e.test_fleet import Fleet, begun, folder_in, nothing_twice, until

pytestmark = pytest.mark.long
PAGE = Path(__file__).parents[2] / "docs" / "fleet.md"
# Slurm ends all processes of a step with its first one, also those in sessions of their own.
SRUN = """\
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
export STEP=$$
setsid "$@" &
wait $!
for each in /proc/[0-9]*; do
    if tr '\\0' '\\n' <"$each/environ" | grep -qx "STEP=$$"; then kill -9 "${each#/proc/}"; fi
done 2>/dev/null
"""


@pytest.fixture
def head(tmp_path):
    """A fleet whose workers are still to be started."""
    made = Fleet(tmp_path)
    made.scheduler()
    try:
        yield made
    finally:
        made.close()
        for each in _of(made):
            each.kill()


def _of(fleet: Fleet) -> list[psutil.Process]:
    """All processes with a folder of this fleet in their environment: loops come first."""
    found = []
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            if each.environ().get("XDG_DATA_HOME", "").startswith(str(fleet.folder)):
                found.append(each)
    return sorted(found, key=lambda each: each.create_time())


def unit(fleet: Fleet, kind: str, *words: str) -> str:
    program = f"{shlex.quote(sys.executable)} -m iogauge"
    done = fleet.run("fleet", "unit", kind, "--on", fleet.address, "--program", program, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def started(fleet: Fleet, words: Sequence[str], **variables: str) -> subprocess.Popen[str]:
    """The unit's main process."""
    with (fleet.folder / "unit.log").open("a") as log:
        process = subprocess.Popen(
            words,
            env={**fleet.environment("one"), **variables},
            cwd=os.environ.get("IOGAUGE_FLEET_CERTS"),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    fleet.processes["unit"] = process
    return process


def measuring(fleet: Fleet) -> dict[str, set[int]]:
    """The processes of the worker, and of what it measures with, which has short ones of its own."""
    found: dict[str, set[int]] = {"fleet worker": set(), "fleet carry-out": set()}
    for each in _of(fleet):
        with suppress(psutil.Error):
            line = each.cmdline()
            for word, pids in found.items():
                if line[:1] == [sys.executable] and word in " ".join(line):
                    pids.add(each.pid)
    return found


def killed_and_follows(fleet: Fleet) -> None:
    fleet.wait_for("one")
    client, run = begun(fleet, "--budget", "25s", "--hosts", "one")
    before = measuring(fleet)
    assert all(before.values()), before
    for pid in before["fleet worker"]:
        os.kill(pid, 9)
    time.sleep(1)
    assert measuring(fleet)["fleet carry-out"] & before["fleet carry-out"], fleet.logs()
    until(lambda: measuring(fleet)["fleet worker"] - before["fleet worker"], says=fleet.logs)
    assert client.wait(90) == 0, fleet.logs()
    (path,) = fleet.folder.glob(f"client/iogauge/runs/{run}/*.jsonl")
    nothing_twice(path)
    assert len(list(fleet.data("one").iterdir())) == 1


def test_in_a_step_of_slurm(head, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("srun", SRUN), ("hostname", "#!/bin/sh\necho one\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    script = tmp_path / "job.sh"
    script.write_text(unit(head, "slurm", "--label", "note=it's"))
    path = f"{programs}:{os.environ['PATH']}"
    process = started(head, ["bash", str(script)], PATH=path)
    killed_and_follows(head)
    # The fake step is one: without its first process nothing of it is left.
    begun(head, "--budget", "30s", "--hosts", "one")
    until(lambda: measuring(head)["fleet carry-out"])
    (loop,) = _loops(process)
    loop.kill()
    until(lambda: not any(measuring(head).values()), 30)


def _loops(process: subprocess.Popen[str]) -> list[psutil.Process]:
    found = psutil.Process(process.pid).children(recursive=True)
    return [each for each in found if each.cmdline()[:2] == ["bash", "-c"]]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_as_the_first_process_of_a_container(head, tmp_path):
    import yaml

    data = tmp_path / "volume"
    data.mkdir()
    *_, manifest = yaml.safe_load_all(unit(head, "kubernetes", "--dir", str(data)))
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    space = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    process = started(head, [*space, *container["command"], *container["args"]], **_pod(container))
    killed_and_follows(head)
    begun(head, "--budget", "30s", "--hosts", "one")
    until(lambda: measuring(head)["fleet carry-out"])
    (first,) = psutil.Process(process.pid).children()
    first.terminate()  # a pod is ended so; it does not take the 30 s until it would be killed
    process.wait(15)
    until(lambda: not any(measuring(head).values()), 5)


def _pod(container: Mapping) -> dict[str, str]:
    """What a pod called `one` has in its environment, but for folders."""
    names = {each["name"]: each.get("valueFrom") for each in container["env"]}
    assert names.pop("HOST_NAME") == {"fieldRef": {"fieldPath": "metadata.name"}}
    assert names.keys() == {"XDG_DATA_HOME", "XDG_CACHE_HOME"}
    return {"HOST_NAME": "one"}


def test_a_worker_of_dask_is_one_of_ours(tmp_path, monkeypatch):
    certs = tmp_path / "certs"
    monkeypatch.setenv("IOGAUGE_FLEET_CERTS", str(certs))
    fleet = Fleet(tmp_path)
    fleet.address = f"tls://127.0.0.2:{fleet.port}"
    assert fleet.run("fleet", "certs", "127.0.0.2").returncode == 0
    fleet.start("head", "fleet", "scheduler", "--host", "127.0.0.2", "--port", str(fleet.port))
    (line,) = re.findall(r"`(dask worker tls://… [^`]*)`", PAGE.read_text("utf-8"))
    words = shlex.split(line.replace("tls://…", fleet.address).replace("web-1", "one"))
    command = [sys.executable, "-m", *words, "--local-directory", str(tmp_path / "tmp")]
    fleet.processes["one"] = started(fleet, command, IOGAUGE_HOST_LABELS="disk=nvme")
    try:
        fleet.wait_for("one")
        assert "disk=nvme" in fleet.run("fleet", "hosts", "--on", fleet.address).stdout
        done = fleet.run("run", str(fleet.study), "--on", fleet.address)
        assert done.returncode == 0, done.stderr + fleet.logs()
        (path,) = folder_in(done).glob("one.*.jsonl")
        nothing_twice(path)
    finally:
        fleet.close()
