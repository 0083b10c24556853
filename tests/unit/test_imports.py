"""Result files of other tools as runs: what they hold, what is missing, and what cannot be."""

from __future__ import annotations

import copy
import json
import math

import pytest

from iogauge import outputs
from iogauge.model.errors import UserError
from iogauge.outputs import gobench, markdown
from iogauge.outputs.document import Document
from iogauge.runfile import reading


def jmh(benchmark="org.example.Reading.bytes", raw=((5.0, 6.0), (5.5, 6.5)), **more):
    """A result with the keys that iogauge needs, and one that it does not know."""
    metric = {"score": 5.75, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": raw}
    metric |= {key: more.pop(key) for key in [*more] if key in ("scoreUnit", "rawDataHistogram")}
    made = {"jmhVersion": "1.37", "benchmark": benchmark, "mode": "avgt", "threads": 1}
    return made | {"futureKey": [1], "primaryMetric": metric, "secondaryMetrics": {}} | more


def hyperfine(command="cat a", times=(0.5, 0.6, 0.7), **more):
    made = {"command": command, "mean": 0.6, "stddev": None, "user": 0.1, "system": 0.2}
    return made | {"times": times, "exit_codes": [0] * len(times)} | more


GO = """goos: linux
goarch: amd64
pkg: example.org/read
cpu: Some Processor
BenchmarkRead/block=8K-2   \t 100\t 1200 ns/op\t 16 B/op\t 2 allocs/op
BenchmarkRead/block=8K-2   \t 100\t 1300.5 ns/op\t 16 B/op\t 2 allocs/op
BenchmarkRead/block=8K-2   \t 100\t 1250 ns/op\t 16 B/op\t 2 allocs/op
BenchmarkRead/small/block=64K-2 \t 200\t 800 ns/op
--- FAIL: BenchmarkRead/block=1G-2
    read_test.go:7: out of memory
BenchmarkWrite \t 7\t 3 MB/s
PASS
ok  \texample.org/read\t1.2s
"""


@pytest.fixture
def imported(tmp_path):
    """The run of a file with this content, whatever its name."""

    def run(content, name="results.txt"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, "utf-8")
        return reading.read(path)

    return run


def levels(run):
    """ns per operation by name, repeat and iteration."""
    found = {}
    for row in range(len(run.columns)):
        case = run.plan.cases[int(run.columns.case[row])]
        name = run.header.declared(case).imported.text
        repeats = found.setdefault(name, {})
        level = float(run.columns.levels[row])
        repeats.setdefault(int(run.columns.replicate[row]), []).append(level)
    return {name: [*repeats.values()] for name, repeats in found.items()}


def names(run):
    return [group.question for group in run.plan.groups]


def test_forks_of_jmh_are_repeats_and_iterations_their_rounds(imported):
    run = imported([jmh(params={"size": "1M"}), jmh(params={"size": "2M"}, threads=4)])
    assert run.header.imported == "JMH JSON" and run.plan.protocol == "imported"
    assert levels(run)["org.example.Reading.bytes size=1M"] == [[5000, 6000], [5500, 6500]]
    assert names(run) == ["org.example.Reading"] and len(run.replicates) == 2
    assert [run.header.declared(each).imported.threads for each in run.plan.cases] == [1, 4]
    assert run.complete and run.plan.groups[0].control is None


@pytest.mark.parametrize(
    ("unit", "value", "ns"),
    [
        ("ns/op", 7, 7),
        ("ms/op", 7, 7e6),
        ("s/op", 2, 2e9),
        ("ops/s", 1e6, 1e3),
        ("ops/ms", 4, 250e3),
    ],
)
def test_every_unit_of_jmh_is_a_time(imported, unit, value, ns):
    (found,) = levels(imported([jmh(raw=[[value]], scoreUnit=unit)])).values()
    assert found == [[pytest.approx(ns)]]


def test_sampled_calls_of_jmh_are_one_mean_for_each_iteration(imported):
    run = imported([jmh(mode="sample", rawDataHistogram=[[[[2.0, 3], [4.0, 1]]]])])
    assert levels(run) == {"org.example.Reading.bytes": [[2500.0]]}
    assert run.columns.operations.tolist() == [4]


def test_what_has_no_number_is_missing_and_never_zero(imported):
    results = [jmh("a.B.c", [["NaN", 6.0], [5.0, 7.0]]), jmh("a.B.d", [["NaN", "INF"]])]
    results += [jmh("a.B.e", [[0.0, 2.0]], scoreUnit="ops/us"), jmh("a.B.f", [])]
    run = imported(results)
    assert levels(run) == {"a.B.c": [[6000], [5000, 7000]], "a.B.e": [[500]]}
    failed = {
        run.plan.cases[case].label.split("/")[1][0]: why for case, why in run.failed().items()
    }
    assert failed == dict.fromkeys("df", "the file has no time of it")
    (caveat,) = (
        each for each in run.caveats if "of its iterations" in each.text and "c-" in each.about
    )
    assert caveat.text == "1 of its iterations have no number"
    cases = {each.name: each for each in Document(run).export.groups[0].cases}
    assert cases["d"].ns_per_op.center is None and cases["d"].failures


def test_two_modes_of_one_benchmark_are_two_questions(imported):
    run = imported([jmh(), jmh(mode="ss")])
    assert names(run) == ["org.example.Reading", "org.example.Reading, single calls"]
    assert len({each.key for each in run.plan.cases}) == 2


def test_lines_of_go_are_repeats_and_it_says_that_they_may_be_of_one_process(imported):
    run = imported(GO)
    assert names(run) == ["example.org/read: Read", "example.org/read: Write"]
    found = {
        name: [[round(each, 6) for each in of] for of in repeats]
        for name, repeats in levels(run).items()
    }
    assert found == {"Read block=8K": [[1200], [1300.5], [1250]], "Read/small block=64K": [[800]]}
    assert run.columns.operations.tolist() == [100, 200, 100, 100]
    why = {
        run.header.declared(run.plan.cases[at]).imported.text: why
        for at, why in run.failed().items()
    }
    assert why == {
        "Read block=1G": "read_test.go:7: out of memory",
        "Write": "its line has no ns/op",
    }
    assert "in one process are taken for repeats" in run.caveats[0].text
    assert run.header.host["processor"] == "Some Processor"
    cases = {each.name: each for each in Document(run).export.groups[0].cases}
    assert cases["block=8K"].evidence["allocated_bytes_per_op"] == 16
    assert cases["small block=64K"].evidence["allocated_bytes_per_op"] is None


def test_runs_of_hyperfine_are_repeats_with_what_it_says_of_them(imported):
    results = [hyperfine(), hyperfine("cat b", [0.1], exit_codes=[1], parameters={"x": "b"})]
    results += [hyperfine("cat c", [0.2]), hyperfine("cat c", [0.3], parameters={"n": "2"})]
    run = imported({"results": results})
    assert levels(run)["cat a"] == [[0.5e9], [0.6e9], [0.7e9]]
    assert [*levels(run)] == ["cat a", "cat b", "cat c", "cat c n=2"]
    assert [each.text for each in run.caveats] == ["1 of 1 runs did not end with status 0"]
    case = Document(run).export.groups[0].cases[-1]
    assert case.name == "cat a" and case.evidence["system_ns_per_op"] == 0.2e9


def test_nothing_is_claimed_that_such_data_cannot_carry(imported):
    """Not even of what is far apart: it was not measured in turns."""
    raw = [[value] for value in (1.0, 1.01, 1.02, 1.03, 1.04)]
    slow = [[10 * value for value in fork] for fork in raw]
    run = imported([jmh("a.B.fast", raw), jmh("a.B.slow", slow), jmh("a.C.few", slow[:2])])
    export = Document(run).export
    group, few = export.groups
    assert export.run.imported == "JMH JSON" and export.run.next_steps == ()
    assert (group.recommendations, group.answers, group.control, group.ceiling) == (
        (),
        (),
        None,
        None,
    )
    assert {case.source for case in group.cases} == {"imported"}
    for case in (*group.cases, *few.cases):
        assert case.vs_best.outcome in (None, "undecided") and not case.eliminated
        assert case.evidence["resident_before"] is None and case.bytes_per_s.center is None
        assert case.workload.model_dump() == dict.fromkeys(case.workload.model_dump()) | {
            "content": "unknown"
        }
        assert case.imported.benchmark.startswith("a.")
    slow = next(case for case in group.cases if case.name == "slow")
    assert slow.vs_best.ratio == pytest.approx(10) and slow.vs_best.lo > 9
    assert slow.cost == "10x", "the ratio, without a word on what it means"
    text = markdown.render(Document(run))
    assert "| 10.0 (" in text and "~" not in text and "of language" not in text


def test_an_export_of_it_can_be_read_again(imported):
    from iogauge.outputs import contract

    export = Document(imported([jmh()])).export
    assert contract.read(json.loads(json.dumps(export.plain()))) == export


DEEP = 100_000
HOSTILE = {
    "no JSON": b'[{"primaryMetric": ',
    "deep": b'[{"primaryMetric": ' + b"[" * DEEP + b"]" * DEEP + b"}]",
    "deep elsewhere": b'{"results": [], "command": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
    "nothing in it": b'{"results": [], "command": 1}',
    "a negative time": json.dumps({"results": [hyperfine(times=[-1])]}).encode(),
    "a time of zero": json.dumps({"results": [hyperfine(times=[0])]}).encode(),
    "an endless time": b'{"results": [{"command": "x", "times": [1e999]}]}',
    "no time at all": b'{"results": [{"command": "x", "times": [NaN]}]}',
    "a text for a time": json.dumps({"results": [hyperfine(times=["fast"])]}).encode(),
    "an object for a name": json.dumps({"results": [hyperfine(command={})]}).encode(),
    "a long name": json.dumps({"results": [hyperfine("x" * 2000)]}).encode(),
    "no array": json.dumps([jmh(raw={"a": 1})]).encode(),
    "a negative score": json.dumps([jmh(raw=[[-5.0]])]).encode(),
    "an unknown unit": json.dumps([jmh(scoreUnit="parsec/op")]).encode(),
    "a unit that is no unit": json.dumps([jmh(scoreUnit="")]).encode(),
    "a word for a score": json.dumps([jmh(raw=[["quick"]])]).encode(),
    "no name": json.dumps([jmh("")]).encode(),
    "a negative time of Go": b"BenchmarkX 5 -3 ns/op\n",
    "no number of Go": b"BenchmarkX 5 fast ns/op\n",
    "a value without a unit": b"BenchmarkX 5 3\n",
    "a number of 5000 digits": b"BenchmarkX " + b"1" * 5000 + b" 3 ns/op\n",
    "too many operations": b"BenchmarkX 99999999999999999999999 3 ns/op\n",
    "no operations": b"BenchmarkX 0 3 ns/op\n",
    "no UTF-8": b"BenchmarkX 5 3 ns/op\n\xff\n",
    "half of a name": b"[\xff" + json.dumps([jmh()]).encode()[1:],
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_damaged_or_hostile_file_is_one_clear_line(imported, content):
    with pytest.raises(UserError) as error:
        imported(content)
    text = str(error.value)
    assert "\n" not in text and len(text) < 700 and "results.txt: " in text
    assert any(form in text for form in ("JMH JSON", "hyperfine JSON", "Go benchmark text")), text


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b'{"results": 3}', b"hello\n", b"\0" * 100])
def test_any_other_file_is_no_run_file_as_before(imported, content):
    with pytest.raises(UserError, match="not a run file"):
        imported(content)


def test_what_is_too_much_is_refused_before_it_is_read(imported, monkeypatch):
    from iogauge.runfile.imports import making, recognising

    monkeypatch.setattr(recognising, "LARGEST", 100)
    with pytest.raises(UserError, match="at most 100 B are read"):
        imported([jmh()])
    monkeypatch.undo()
    for name, least in (("MOST_VALUES", 3), ("MOST_CASES", 1), ("MOST_TOGETHER", 1)):
        with monkeypatch.context() as changed:
            changed.setattr(making, name, least)
            with pytest.raises(UserError, match=f"at most {least} are read"):
                imported([jmh(), jmh("org.example.Reading.other")])


def test_names_can_do_nothing_to_a_terminal(imported):
    run = imported([jmh("a.B.\x1b[31mred\u202e", params={"k\n": "v\x07"})])
    given = run.header.declared(run.plan.cases[0]).imported
    assert given.text == "a.B.\\u001b[31mred\\u202e k\\u000a=v\\u0007"
    assert Document(run).export.groups[0].question == "a.B, k\\u000a=v\\u0007"


def test_a_name_cannot_pass_for_code_of_the_user(imported):
    run = imported([jmh("own-code"), jmh("own")])
    assert not any(run.header.declared(each).is_own for each in run.plan.cases)


def test_keys_are_the_same_in_another_file(imported):
    """So that two files can be compared."""
    one = imported([jmh("a.B.c"), jmh("a.B.d")], "one")
    other = imported([copy.deepcopy(jmh("a.B.d", [[9.0]]))], "other")
    assert other.plan.cases[0].key == one.plan.cases[1].key
    assert one.header.id != other.header.id


def test_a_benchmark_that_the_file_has_twice_has_more_repeats(imported):
    run = imported([jmh(), jmh()])
    assert [len(each) for each in levels(run).values()] == [4]


def test_a_command_that_was_given_twice_is_two(imported):
    run = imported({"results": [hyperfine("cat a"), hyperfine("cat a"), hyperfine("cat b")]})
    known = [each.known_as for each in run.header.runtimes[0].strategies.values()]
    assert sorted(known) == ["cat a", "cat a (2)", "cat b"] and len(run.plan.cases) == 3


def test_results_of_two_machines_in_one_file_are_not_pooled(imported):
    run = imported([jmh(jdkVersion="17"), jmh(jdkVersion="25", jvmArgs=["-Xmx1g"])])
    assert names(run) == ["org.example.Reading, 17", "org.example.Reading, 25 -Xmx1g"]
    run = imported(
        GO + GO.replace("Some Processor", "Another").replace("example.org/read", "other")
    )
    assert len(run.plan.groups) == 4 and len({case.key for case in run.plan.cases}) == 8
    assert names(run)[2] == "other: Read, cpu: Another"


def test_numbers_of_threads_are_told_apart(imported):
    lines = "".join(f"BenchmarkRead/n=1-{each} 5 {each}0 ns/op\n" for each in (2, 4))
    document = Document(imported(lines + "BenchmarkRead/n=2-2 5 7 ns/op\n"))
    found = [case.name for case in document.export.groups[0].cases]
    assert sorted(found) == ["n=1, 2 threads", "n=1, 4 threads", "n=2"]
    again = [line for line in gobench.render(document).splitlines() if line[:9] == "Benchmark"]
    assert sorted(line.split("\t")[0] for line in again) == [
        f"BenchmarkRead/{each}" for each in ("n=1-2", "n=1-4", "n=2-2")
    ]


def test_a_benchmark_that_failed_once_keeps_its_times_and_says_so(imported):
    lines = "BenchmarkA 5 3 ns/op 10 B/op\n--- FAIL: BenchmarkA\n    why\nBenchmarkA 5 4 ns/op 20 B/op\n"
    run = imported(lines)
    assert not run.failures and [*levels(run).values()] == [[[3], [4]]]
    (case,) = Document(run).export.groups[0].cases
    assert case.caveats == ("it has times, and failed as well: why",)
    assert case.evidence["allocated_bytes_per_op"] == 15


def test_the_time_that_it_is_said_to_take_is_finite(imported):
    assert math.isfinite(imported([jmh(raw=[[1e12]])]).seconds)


def again(form, run):
    return outputs.renderer(form)(Document(run))


def test_a_file_of_another_tool_comes_out_as_it_came_in(imported):
    """What both hold: names, parameters, times, and what stands beside them."""
    one = hyperfine("a", [0.25, 0.5], parameters={"n": "1"}, memory_usage_byte=[100, 200])
    one |= {"mean": 0.375, "median": 0.375, "min": 0.25, "max": 0.5, "stddev": 0.17677669529663687}
    (found,) = json.loads(again("hyperfine", imported({"results": [one]})))["results"]
    assert found == {
        key: pytest.approx(of) if isinstance(of, float) else of for key, of in one.items()
    }
    params = {"size": "1M", "charset": "UTF-16"}
    one = jmh(params=params, threads=4, jvmArgs=["-Xmx1g"], warmupTime="10 s", jdkVersion="17")
    one["secondaryMetrics"] = {
        "allocated-bytes": jmh(raw=[[16]], scoreUnit="B/op")["primaryMetric"]
    }
    (found,) = json.loads(again("jmh", imported([one])))
    for key in (
        "benchmark",
        "mode",
        "threads",
        "params",
        "jvmArgs",
        "warmupTime",
        "jdkVersion",
        "jmhVersion",
    ):
        assert found[key] == one[key], key
    assert found["primaryMetric"]["rawData"] == [[5000, 6000], [5500, 6500]]
    assert found["secondaryMetrics"]["allocated-bytes"]["score"] == 5.75
    lines = ["BenchmarkA/b=1-8 12 3.25 ns/op 16 B/op", "BenchmarkA/b=1-8 12 3.5 ns/op 16 B/op"]
    lines += ["--- FAIL: BenchmarkB-8", "why"]
    told = [
        " ".join(line.split())
        for line in again("go", imported("\n".join([*lines[:3], "    why"]))).splitlines()
    ]
    assert [line for line in told if line.startswith(("Bench", "---", "why"))] == lines


def test_what_has_no_number_is_left_out_of_an_export_and_said(imported):
    document = Document(imported([jmh("a.B.c", [["NaN"]]), jmh("a.B.d")]))
    assert [each["benchmark"] for each in json.loads(outputs.renderer("jmh")(document))] == [
        "a.B.d"
    ]
    assert outputs.left_out("jmh", document) == ["left out: a.B.c: the file has no time of it"]
