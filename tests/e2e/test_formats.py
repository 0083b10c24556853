"""Exports in formats that others read, and the way back: what a format can hold is not lost."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path
from statistics import fmean, stdev

import duckdb
import pyperf
import pytest
from scipy.stats import t as students_t

from iogauge import outputs
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from tests import runs
from tests.fake_study import faulty, group, measure, steady
from tests.runs import add_sample, empty_run, end_replicate

OF_OTHERS = ("jmh", "go", "hyperfine", "pyperf", "bmf", "github-action-benchmark")
BACK = ("jmh", "go", "hyperfine")


@pytest.fixture(scope="module")
def document(fake, tmp_path_factory):
    """Two questions: of one a case fails, of the other one is so slow that it is dropped early."""
    first = group(steady(20, 22) + faulty("wrong-sum"), more='consume = "sum"\n')
    second = group(steady(20, 21, 100), size="128K", identifier="others")
    folder = tmp_path_factory.mktemp("run")
    return Document(measure(first + second, fake, folder, seed=1).run)


def exported(name, document):
    return outputs.renderer(name)(document)


def parsed(name, document):
    return json.loads(exported(name, document), parse_constant=pytest.fail)


def measured(document):
    """The cases that have a time."""
    return [
        case
        for group in document.export.groups
        for case in group.cases
        if case.ns_per_op.center is not None
    ]


def names(name, document):
    found = None if name == "go" else parsed(name, document)
    match name:
        case "jmh":
            return [f"{each['benchmark']} {each['params']}" for each in found]
        case "hyperfine":
            return [each["command"] for each in found["results"]]
        case "pyperf":
            return [each["metadata"]["name"] for each in found["benchmarks"]]
        case "bmf":
            return [*found]
        case "github-action-benchmark":
            return [each["name"] for each in found if each["unit"] == "ns/op"]
    lines = exported(name, document).splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if line.startswith("Benchmark")))


@pytest.mark.parametrize("name", OF_OTHERS)
def test_every_case_with_a_time_is_there_under_a_name_of_its_own(document, name):
    found = names(name, document)
    assert len(set(found)) == len(found) == len(measured(document)) == 5
    assert all("wrong-sum" not in each and "\n" not in each for each in found)


@pytest.mark.parametrize("name", OF_OTHERS)
def test_what_failed_is_left_out_and_said(document, name):
    (says,) = outputs.left_out(name, document)
    assert says.startswith("left out: fakes: Fake ") and "sum" in says


def test_jmh_has_repeats_as_forks_and_makes_its_score_as_jmh_does(document):
    for each, case in zip(parsed("jmh", document), measured(document), strict=True):
        metric = each["primaryMetric"]
        forks, values = metric["rawData"], [one for fork in metric["rawData"] for one in fork]
        assert (each["forks"], len(values)) == (case.replicates, case.samples)
        assert len(forks) == 1 or not case.eliminated
        assert each["measurementIterations"] == max(map(len, forks))
        assert metric["score"] == pytest.approx(fmean(values))
        reach = (
            students_t.ppf(1 - 0.001 / 2, len(values) - 1) * stdev(values) / math.sqrt(len(values))
        )
        assert metric["scoreError"] == pytest.approx(reach)
        assert metric["scoreConfidence"][1] == pytest.approx(metric["score"] + reach)
        assert metric["scorePercentiles"]["0.0"] == min(values)
        assert metric["scorePercentiles"]["100.0"] == max(values)
        assert each["params"]["speed"] and each["params"]["size"] in ("64K", "128K")
        assert all(isinstance(each[key], str) for key in ("warmupTime", "measurementTime"))


def test_jmh_has_no_number_for_the_error_of_two_values(fake):
    run = empty_run(fake, 10, 20)
    for replicate in range(2):
        for case in range(len(run.plan.cases)):
            add_sample(run, case, replicate, 0, case, [1000.0 + case])
        end_replicate(run, replicate)
    for each in parsed("jmh", Document(run)):
        assert each["primaryMetric"]["scoreError"] == "NaN"
        assert each["primaryMetric"]["scoreConfidence"] == ["NaN", "NaN"]


def test_go_has_a_line_for_each_repeat_and_keys_that_benchstat_knows(document):
    lines = exported("go", document).splitlines()
    config = dict(line.split(": ", 1) for line in lines if line[0].islower())
    assert config["pkg"] == "iogauge/on-the-fake" and config["cpu"] == "test"
    for name, case in zip(names("go", document), measured(document), strict=True):
        of = [line.split("\t") for line in lines if line.startswith(f"{name}\t")]
        assert len(of) == case.replicates and all(int(each[1]) > 0 for each in of)
        keys = dict(part.split("=", 1) for part in name.rpartition("-")[0].split("/")[1:])
        assert keys["strategy"] == "fake.steady" and keys["speed"] and keys["size"]
    failed = lines.index(next(line for line in lines if line.startswith("--- FAIL: ")))
    assert "wrong-sum" in lines[failed] and "sum" in lines[failed + 1]


def test_hyperfine_has_seconds_and_parameters_as_text(document):
    for each, case in zip(
        parsed("hyperfine", document)["results"], measured(document), strict=True
    ):
        assert len(each["times"]) == len(each["exit_codes"]) == case.replicates
        assert each["mean"] == pytest.approx(fmean(each["times"]))
        assert each["mean"] == pytest.approx(case.ns_per_op.center / 1e9, rel=0.5)
        assert all(isinstance(value, str) for value in each["parameters"].values())
        assert set(each["exit_codes"]) == {None}


def test_pyperf_opens_it_and_sees_a_run_for_each_repeat(document, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(exported("pyperf", document))
    suite = pyperf.BenchmarkSuite.load(str(path))
    for each, case in zip(suite, measured(document), strict=True):
        assert each.get_nrun() == case.replicates and each.get_nvalue() == case.samples
        assert each.get_unit() == "second" and each.get_metadata()["iogauge_key"] == case.key
        assert each.median() == pytest.approx(case.ns_per_op.center / 1e9, rel=0.5)
    for command in (["stats", path], ["compare_to", path, path]):
        done = subprocess.run(
            [sys.executable, "-m", "pyperf", *map(str, command)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 and not done.stderr, done.stderr


def test_bencher_has_the_interval_as_its_bounds(document):
    for each, case in zip(parsed("bmf", document).values(), measured(document), strict=True):
        latency, level = each["latency"], case.ns_per_op
        bounds = {"lower_value": level.lo, "upper_value": level.hi} if level.lo else {}
        assert latency == {"value": level.center} | bounds and bool(bounds) != case.eliminated
        assert all(set(of) == {"value"} for name, of in each.items() if name != "latency")


def test_github_action_benchmark_has_the_interval_and_why(document):
    found = [
        each for each in parsed("github-action-benchmark", document) if each["unit"] == "ns/op"
    ]
    for each, case in zip(found, measured(document), strict=True):
        assert each["value"] == case.ns_per_op.center and ("range" in each) != case.eliminated
        assert f"{case.replicates} repeat" in each["extra"] and case.key in each["extra"]


def test_bounds_that_are_not_known_are_not_there(fake):
    run = empty_run(fake, 10, 20)
    for case in range(len(run.plan.cases)):
        add_sample(run, case, 0, 0, case, [1000.0 + case])
    end_replicate(run, 0)
    document = Document(run)
    assert [set(each["latency"]) for each in parsed("bmf", document).values()] == [{"value"}] * 2
    assert not [each for each in parsed("github-action-benchmark", document) if "range" in each]
    assert "the run is not finished, which the format cannot say" in outputs.left_out(
        "bmf", document
    )


@pytest.mark.parametrize("name", BACK)
def test_a_round_trip_loses_nothing(document, tmp_path, name):
    path = tmp_path / "results"
    path.write_text(exported(name, document), "utf-8")
    back = Document(reading.read(path))
    again = exported(name, back)
    if name == "go":
        kept = ("Benchmark", "Unit", "--- FAIL", "    ")
        was, now = (
            [line for line in text.splitlines() if line.startswith(kept)]
            for text in (path.read_text(), again)
        )
        assert sorted(now) == sorted(was)
        return
    was, now = json.loads(path.read_text()), json.loads(again)
    key = {
        "jmh": lambda each: (each["benchmark"], str(each.get("params"))),
        "hyperfine": lambda each: each["command"],
    }[name]
    was, now = (sorted(of if name == "jmh" else of["results"], key=key) for of in (was, now))
    assert len(was) == len(now)
    for one, other in zip(was, now, strict=True):
        assert one.keys() == other.keys()
        for each in one:
            assert same(one[each], other[each]), (each, one[each], other[each])


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == pytest.approx(other, rel=1e-9) if isinstance(one, float) else one == other


def test_another_format_of_what_was_imported_has_its_names(tmp_path):
    path = tmp_path / "x"
    path.write_text('{"results": [{"command": "cat \\"a b\\" | wc", "times": [0.1, 0.2]}]}')
    document = Document(reading.read(path))
    assert parsed("jmh", document)[0]["benchmark"] == 'cat "a b" | wc'
    assert 'BenchmarkCat_"a_b"_|_wc-1\t1\t100000000 ns/op' in exported("go", document)
    assert [*parsed("bmf", document)] == ['cat "a b" | wc']
    assert parsed("github-action-benchmark", document)[0]["extra"].startswith(
        "imported from hyperfine"
    )
    rows = list(csv.DictReader(io.StringIO(exported("samples", document))))
    assert [(row["strategy"], row["size"], row["resident_before"]) for row in rows] == [
        ('cat "a b" | wc', "", "")
    ] * 2


def test_samples_are_tidy(document):
    rows = list(csv.DictReader(io.StringIO(exported("samples", document))))
    run = document.run
    assert (
        len(rows) == len(run.columns)
        and [row["used"] == "yes" for row in rows] == run.used().tolist()
    )
    assert [float(row["ns"]) for row in rows] == run.columns.ns.tolist()
    for row in rows:
        case = next(each for each in run.plan.cases if each.key == row["key"])
        assert row["param_speed"] == str(case.parameters.get("speed", ""))
        assert int(row["size"]) == case.workload.size and row["durability"] == ""
    assert len({(row["fork"], row["group"], row["round"], row["key"]) for row in rows}) == len(rows)
    (says,) = outputs.left_out("samples", document)
    assert "wrong-sum" in says


def test_parquet_has_the_same_rows_with_types(document, tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(exported("parquet", document))
    found = duckdb.sql(f"SELECT * FROM '{path}'")
    types = dict(zip(found.columns, map(str, found.types), strict=True))
    assert types["param_speed"] == types["size"] == types["accesses"] == "BIGINT"
    assert (types["used"], types["ns"], types["key"], types["void"]) == (
        "BOOLEAN",
        "DOUBLE",
        "VARCHAR",
        "VARCHAR",
    )
    rows = list(csv.DictReader(io.StringIO(exported("samples", document))))
    assert found.columns == [*rows[0]]
    read = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    assert [row["ns"] for row in read] == [float(row["ns"]) for row in rows]
    assert all(
        (one[key] is None) == (other[key] == "")
        for one, other in zip(read, rows, strict=True)
        for key in one
    )


@pytest.fixture
def file(document, tmp_path):
    """A run file of iogauge's in another tool's format, under a name that says nothing."""

    def made(name):
        path = tmp_path / "results.bin"
        path.write_text(exported(name, document), "utf-8")
        return path

    return made


@pytest.mark.parametrize("name", BACK)
def test_show_and_export_take_files_of_others(iogauge, only_fake, file, name):
    path = file(name)
    shown = iogauge("show", path)
    assert shown.returncode == 0
    said = " ".join(shown.stdout.split())
    assert (
        said.startswith("Imported from ")
        and "without iogauge's evidence, not measured in turns" in said
    )
    assert "use this" not in said and "explain" not in said and "repeats as imported" in said
    for form in ("markdown", "csv", "json"):
        done = iogauge("export", path, "--format", form)
        assert done.returncode == 0 and "imported" in done.stdout.lower()
    assert iogauge("show", "--details", path).returncode == 0


def test_report_takes_them_beside_runs_of_ours(iogauge, only_fake, file, tmp_path, document):
    page, ours = tmp_path / "x.html", runs.written(document.run, tmp_path / "run.jsonl")
    assert iogauge("report", ours, file("jmh"), "-o", page).returncode == 0
    text = page.read_text()
    assert (
        text.count("imported from JMH JSON: without iogauge&#39;s evidence, not measured in turns")
        == 1
    )
    assert "iogauge run imported" not in text


@pytest.mark.parametrize(
    "arguments",
    [("show", "--profile"), ("explain",), ("explain", "--trace"), ("claims",), ("run", "--resume")],
    ids=" ".join,
)
def test_what_takes_a_run_of_ours_refuses_others_in_one_line(iogauge, only_fake, file, arguments):
    done = iogauge(*arguments, file("jmh"))
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "results.bin: " in done.stderr


def test_the_command_says_what_is_lost_and_writes_bytes_only_to_a_file(
    iogauge, only_fake, study, tmp_path, monkeypatch
):
    run = study(
        group(steady(20, 40, scatter=0) + faulty("wrong-sum"), more='consume = "sum"\n')
    ).path
    done = iogauge("export", run, "--format", "bmf")
    assert done.returncode == 0 and len(json.loads(done.stdout)) == 2
    assert done.stderr.startswith("left out: ")
    done = iogauge("export", run, "--format", "parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "iogauge: --format parquet: is not text; give -o FILE\n"
    out = tmp_path / "x.parquet"
    assert iogauge("export", run, "--format", "parquet", "-o", out).returncode == 0
    assert out.read_bytes()[:4] == b"PAR1"
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = iogauge("export", run, "--format", "parquet", "-o", out)
    assert done.returncode == 2 and "pip install 'iogauge[large]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_of_whole_commands_hyperfine_has_each_run_with_its_status(
    iogauge, only_fake, tmp_path, folder
):
    data = folder / "data.txt"
    data.write_text("x\n" * 5000)
    arguments = ("--file", data, "--budget", "3s", "--cache", "warm", "--dir", folder)
    done = iogauge("command", "cat {file}", "wc -l {file}", *arguments)
    path = Path(done.stdout.partition("run file: ")[2].split("\n")[0])
    document = Document(reading.read(path))
    for each, case in zip(
        parsed("hyperfine", document)["results"], measured(document), strict=True
    ):
        assert each["command"].endswith(case.command)
        assert len(each["times"]) >= case.samples and set(each["exit_codes"]) == {0}
    assert sum(
        map(len, (each["times"] for each in parsed("hyperfine", document)["results"]))
    ) == sum(
        len(sample.ns)
        for sample, used in zip(document.run.samples, document.run.used(), strict=True)
        if used and not document.run.plan.cases[sample.case].control
    )
