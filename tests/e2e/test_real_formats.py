"""Our exports before the tools that they are for, and what these tools write before us."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from iogauge import outputs
from iogauge.model.errors import UserError
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from tests.fake_study import faulty, group, measure, steady
from tests.toolchains import cargo_works

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HYPERFINE = "1.20.0"  # whose package has the scripts


@pytest.fixture(scope="module")
def document(fake, tmp_path_factory):
    text = group(steady(20, 60) + faulty("wrong-sum"), more='compare = "all"\n')
    return Document(measure(text, fake, tmp_path_factory.mktemp("run"), seed=1).run)


@pytest.fixture
def peers(monkeypatch):
    """The programs of others that benchmarks use; a test without their toolchain is skipped."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    names = ("building", "gobench", "jmh", "runtimes", "works")
    return SimpleNamespace(**{name: import_module(f"peers.{name}") for name in names})


@pytest.fixture
def benchstat(peers):
    """Runs benchstat on these arguments, and gives what it prints."""
    try:
        go = peers.runtimes.find("go").ready.executable
    except UserError as error:
        pytest.skip(str(error))
    folder = peers.building.folder_files(peers.building.HERE / "benchstat")
    command = [str(go), "build", "-o", "benchstat.bin", "golang.org/x/perf/cmd/benchstat"]
    variables = {"GOWORK": "off", "CGO_ENABLED": "0"}
    tool = peers.building.built("benchstat", folder, [command], variables) / "benchstat.bin"

    def run(*arguments):
        return subprocess.run(
            [tool, *map(str, arguments)], capture_output=True, text=True, check=True
        )

    return run


def written(document, name, folder):
    path = folder / f"x.{name}"
    path.write_text(outputs.renderer(name)(document) + "\n", "utf-8")
    return path


@pytest.mark.real
def test_benchstat_compares_cases_in_columns_and_counts_repeats(document, benchstat, tmp_path):
    path = written(document, "go", tmp_path)
    table = benchstat("-format", "csv", "-col", "/speed", "-row", "/strategy", path)
    assert "exact" not in table.stderr and "x.go" not in table.stderr
    rows = [line.split(",") for line in table.stdout.splitlines()]
    head = next(row for row in rows if row[:2] == ["", "20"])
    (times,) = (row for row in rows[: rows.index(head) + 4] if row[0] == "fake.steady")
    cases = {case.params["speed"]: case for case in document.export.groups[0].cases[:2]}
    for column, speed in ((1, 20), (3, 60)):
        assert head[column] == str(speed)
        center = cases[speed].ns_per_op.center
        assert float(times[column]) == pytest.approx(center / 1e9, rel=0.3)
    assert f"n={cases[20].replicates}" in times[6]
    by_strategy = benchstat("-col", "/strategy", "-filter", ".unit:ns/op", path)
    assert "fake.steady" in by_strategy.stdout and "sec/op" in by_strategy.stdout


@pytest.mark.long
@pytest.mark.real
def test_what_go_prints_is_read(peers, tmp_path, benchstat):
    work = peers.works.make("go/file-read", 4096, tmp_path, parameters={"block": 4096})
    found = peers.gobench.run(work, count=3, benchtime="50x")
    path = tmp_path / "go.txt"
    path.write_text(found.text)
    run = reading.read(path)
    assert run.header.imported == "Go benchmark text" and len(run.replicates) == 3
    assert sorted(run.columns.levels.tolist()) == pytest.approx(sorted(found.ns_per_op))
    benchstat(written(Document(run), "go", tmp_path))


@pytest.mark.long
@pytest.mark.real
def test_what_jmh_writes_is_read_and_written_as_jmh_does(peers, tmp_path, monkeypatch):
    try:
        peers.runtimes.find("java")
    except UserError as error:
        pytest.skip(str(error))
    work = peers.works.make("java/read-all-bytes", 4096, tmp_path)
    metric, path = peers.jmh._metric, tmp_path / "jmh.json"

    def kept(staged):
        shutil.copyfile(staged.folder / peers.jmh._RESULT, path)
        return metric(staged)

    monkeypatch.setattr(peers.jmh, "_metric", kept)
    peers.jmh.run(work, forks=2, warmups=1, iterations=3, seconds=0.05)
    run = reading.read(path)
    assert run.header.imported == "JMH JSON" and len(run.columns) == 6 and len(run.replicates) == 2
    (theirs,) = json.loads(path.read_text())
    (ours,) = json.loads(written(Document(run), "jmh", tmp_path).read_text())
    assert ours.keys() == theirs.keys()
    for key in ours.keys() - {"primaryMetric", "secondaryMetrics"}:
        assert ours[key] == theirs[key], key
    one, other = ours["primaryMetric"], theirs["primaryMetric"]
    assert one.keys() == other.keys() and one["scoreUnit"] == other["scoreUnit"]
    for key in ("score", "scoreError", "scoreConfidence", "scorePercentiles"):
        assert one[key] == pytest.approx(other[key], rel=1e-6), key
    assert one["rawData"] == [pytest.approx(fork) for fork in other["rawData"]]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """hyperfine's own scripts, which its package brings."""
    if not cargo_works():
        pytest.skip("no cargo")
    home = tmp_path_factory.mktemp("package")
    (home / "src").mkdir()
    (home / "src" / "main.rs").write_text("fn main() {}\n")
    (home / "Cargo.toml").write_text('[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n')
    package = f"hyperfine@{HYPERFINE}"
    done = subprocess.run(
        ["cargo", "info", package], cwd=home, capture_output=True, text=True, check=False
    )
    root = Path.home() / ".cargo" / "registry" / "src"
    found = [*root.glob(f"*/hyperfine-{HYPERFINE}/scripts")]
    if not found:
        pytest.skip(f"cannot be had: {done.stderr[-300:]}")
    return found[0]


@pytest.mark.long
@pytest.mark.real
def test_the_scripts_of_hyperfine_read_it(document, scripts, tmp_path):
    path = written(document, "hyperfine", tmp_path)
    said = subprocess.run(
        [sys.executable, scripts / "advanced_statistics.py", path, "--time-unit", "millisecond"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for case in document.export.groups[0].cases[:2]:
        assert f"Command 'fakes: Fake {case.name}'" in said
    assert said.count("runs:") == 2 and "nan" not in said
    said = subprocess.run(
        [sys.executable, scripts / "welch_ttest.py", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "There is a difference" in said


@pytest.mark.real
@pytest.mark.skipif(shutil.which("hyperfine") is None, reason="no hyperfine")
def test_what_hyperfine_writes_is_read(tmp_path):
    path = tmp_path / "x"
    command = ["hyperfine", "-N", "--style=none", "--runs=3", "--export-json", path, "true"]
    subprocess.run([*command, "sleep 0.01"], check=True, capture_output=True)
    run = reading.read(path)
    assert run.header.imported == "hyperfine JSON" and len(run.columns) == 6
    theirs, ours = (
        json.loads(each.read_text())["results"]
        for each in (path, written(Document(run), "hyperfine", tmp_path))
    )
    for one in theirs:
        other = next(each for each in ours if each["command"] == one["command"])
        assert other == {
            key: pytest.approx(value) if key != "command" else value for key, value in one.items()
        }
