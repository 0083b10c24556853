"""The pages of the five publications: made from stored runs, complete, and quoted by
docs/results.md as they are. The short pages of other decisions: one picture, one table, five sentences.
"""

from __future__ import annotations

import json
import re
import subprocess
from copy import deepcopy
from pathlib import Path

import pytest

from iogauge.host.memory import misplaced_caveat
from iogauge.outputs import html
from iogauge.outputs.document import Document, Page, Source
from iogauge.outputs.html import figures
from iogauge.study import loading
from tests.fake_study import group, measure, steady
from tests.scripts import module_at

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "studies"


generate = module_at(PAGES / "generate.py")
OUTSIDE = generate.short.names(generate.FIVE)
_SENTENCE = re.compile(r"[.?!](?=\s|$)")


@pytest.mark.parametrize("name", generate.FIVE)
def test_a_page_and_its_picture_are_what_their_command_makes_of_the_stored_runs(name):
    assert (PAGES / f"{name}.md").read_text() == generate.made_page(name)
    assert (PAGES / f"{name}.svg").read_bytes() == generate.made_picture_of(name)


@pytest.mark.parametrize("name", generate.FIVE)
@pytest.mark.parametrize("protocol", generate.PROTOCOLS)
def test_every_claim_has_a_verdict_from_a_run_under_both_protocols(name, protocol):
    found = json.loads((PAGES / "runs" / f"{name}.{protocol}.json").read_text())
    of = loading.load(name)
    assert [each["id"] for each in found["claims"]] == [claim.id for claim in of.claim]
    assert all(each["verdict"] and each["because"] for each in found["claims"])
    (run,) = found["runs"]
    assert run["study"] == name and run["protocol"] == protocol and run["complete"]
    versions = [runtime["name"] for runtime in run["runtimes"]]
    if any(each.startswith("jvm-") for each in versions):
        for version in ("jvm-17", "jvm-25"):
            assert any(each.startswith(version) for each in versions)
    numbers = sum(len(table.values) for table in of.published)
    assert protocol != "published" or len(found["published"]) == numbers


def test_the_results_quote_the_verdict_of_each():
    results = " ".join((ROOT / "docs" / "results.md").read_text().split())
    for name in generate.FIVE:
        verdict, _, _ = (PAGES / "notes" / f"{name}.md").read_text().partition("\n\n")
        assert " ".join(verdict.split()) in results, name
        assert f"studies/{name}.md" in results


def told(of):
    """What a group recommends, by the names of cases."""
    names = {case.key: case.name for case in of.cases}
    return [(e.says, e.of, names.get(e.case), names.get(e.for_now)) for e in of.recommendations]


def test_what_is_stored_of_a_run_is_enough_for_the_report(fake, tmp_path):
    """The page of a summary has the figures of the page of its run, but for samples and the
    schedule.
    """
    text = group(steady(20, 40, 100), cache='["warm", "cold"]')
    text += group(steady(20, 40), size="1M", identifier="large")
    made = Document(measure(text, fake, tmp_path, seed=1).run).export
    again = generate.whole(json.loads(json.dumps(generate.small(made.plain()))))
    whole, stored = (figures.all_of(each, None) for each in (made, again))
    shown = [
        [(each.kind, each.title, each.cells(each.rows[0])) for each in of] for of in (stored, whole)
    ]
    assert shown[0] == shown[1] and len(whole) > 3
    assert "Which fake is fastest?" in html.render(Page((Source(again),)))
    for was, found in zip(made.groups, again.groups, strict=True):
        assert told(found) == told(was)


def test_sizes_and_counts_are_exact_and_shares_say_what_they_are():
    assert (generate._bytes(128 << 10), generate._bytes(2097222)) == ("128 KiB", "2 097 222 bytes")
    assert [*map(generate._share, (None, 0.57, 64.07))] == ["–", "57%", ">100%"]
    seen = {"read_calls_per_op": 1048577.0, "minor_faults_per_op": 0.123456}
    cases = [{"evidence": seen, "of_ceiling": 0.123456}]
    (case,) = generate.cut({"groups": [{"cases": cases}]})["groups"][0]["cases"]
    rounded = {"read_calls_per_op": 1048577, "minor_faults_per_op": 0.1235}
    assert case == {"evidence": rounded, "of_ceiling": 0.1235}


@pytest.mark.parametrize("name", generate.FIVE)
def test_a_page_begins_with_verdicts_then_a_picture_then_at_most_five_sentences(name):
    first, fold, rest = (PAGES / f"{name}.md").read_text().partition("<details>")
    head, shown, words = first.partition("![")
    verdicts = re.findall("^- \\*\\*", head, re.MULTILINE)
    assert fold and shown and len(verdicts) == len(loading.load(name).claim)
    assert 1 <= len(_SENTENCE.findall(words.strip().split("\n\n", 2)[2])) <= 5
    ids = {each["id"] for run in generate.stored(name).values() for each in run["groups"]}
    assert not [each for each in ids if "-" in each and f"{each}: " in first]
    assert not [each for each in ids if f"({each})" in rest or f": {each}: " in rest]


def test_where_the_published_numbers_are_lost_the_page_has_ours_all_the_same():
    found, of = generate.stored("go-read-four-ways"), loading.load("go-read-four-ways")
    lines, groups = (
        list(generate._of_groups(found["published"], best=False)),
        found["published"]["groups"],
    )
    assert sum(line.startswith("### ") for line in lines) == len(groups)
    cases = sum(len(group["cases"]) for group in groups)
    assert sum(line.startswith("| `go/") for line in lines) == cases
    says = "The published numbers are lost; these are ours."
    assert says in generate.page(of, found, "notes")


@pytest.mark.parametrize("name", generate.FIVE)
def test_a_parameter_without_effect_is_named_only_where_the_api_is_known_to_cut_it(name):
    """An encoder writes 8 KiB at a time, whatever buffer is around it; every other block and buffer
    of the five is what it says.
    """
    for run in generate.stored(name).values():
        for asked in run["groups"]:
            found = {each["strategy"] for each in asked["parameters_without_effect"]}
            assert found <= {"java/buffered-writer", "java/file-writer"}, asked["id"]


def test_the_picture_is_what_the_command_makes_of_the_stored_runs():
    assert (PAGES / "blocks.svg").read_bytes() == generate.made_picture()
    assert "docs/studies/blocks.svg" in (ROOT / "README.md").read_text()


def test_the_command_writes_the_report_of_the_stored_runs_only_where_it_is_asked_to(
    tmp_path, monkeypatch
):
    name, report = "go-read-four-ways", tmp_path / "report.html"
    for path in (*PAGES.glob(f"runs/{name}.*.json"), PAGES / "notes" / f"{name}.md"):
        copy = tmp_path / path.relative_to(PAGES)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(generate, "HERE", tmp_path)
    monkeypatch.setattr(generate, "FIVE", (name,))

    def command(*words):
        monkeypatch.setattr("sys.argv", ["generate.py", *words])
        generate.main()

    command()
    assert (tmp_path / f"{name}.md").read_text() == (PAGES / f"{name}.md").read_text()
    made = sorted(each.name for each in tmp_path.glob("*.*"))
    assert made == ["README.md", "blocks.svg", f"{name}.md", f"{name}.svg"]
    command("--report", str(report))
    questions = [each["question"] for each in generate.stored(name)["sound"]["groups"]]
    text = report.read_text()
    assert all(each in text for each in questions if not set("'&<>\"") & set(each))
    assert report.stat().st_size < 4 << 20


def test_twelve_decisions_of_others_are_tested_again_in_several_languages():
    assert len(OUTSIDE) >= 12
    of = [name.partition("-")[0] for name in OUTSIDE]
    assert of.count("python") >= 3
    assert of.count("node") + of.count("c") >= 3
    assert of.count("java") + of.count("go") + of.count("rust") >= 3


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_decision_says_in_four_sentences_what_was_decided_and_what_was_not_controlled(name):
    of = loading.load(name)
    assert len(_SENTENCE.findall(of.about.strip())) == len(of.about.strip().splitlines()) == 3
    assert len(_SENTENCE.findall(of.source.note)) == 1
    assert of.source.title and of.source.date and of.claim
    assert of.budget <= 4 * 60


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_short_page_has_one_picture_one_table_and_five_sentences(name):
    """Of any run: here of one of the five."""
    export = generate.whole(generate.stored("go-read-four-ways")["sound"])
    page = generate.short.page(loading.load(name), export)
    lines = page.splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert page.count("![") == 1 and len(rows) == 2 + len(export.claims)
    first, *words = [line.rstrip("*") for line in lines if line.startswith(("**", "- "))]
    assert first.startswith("**Of 9 statements") and page.index(first) < page.index(rows[0])
    assert len(words) == 4 and len(_SENTENCE.findall("\n".join([first, *words]))) == 4 + 1


def test_the_short_pages_are_what_their_command_makes_of_the_stored_runs():
    measured = generate.outside()
    for name, export in measured.items():
        page = generate.short.page(loading.load(name), export)
        assert (PAGES / f"{name}.md").read_text() == page
        assert (PAGES / f"{name}.svg").read_bytes() == generate.short.picture_of(export)
    assert (PAGES / "README.md").read_text() == generate.made_index()


def test_the_list_of_studies_tells_the_verdict_on_the_first_statement_where_there_is_one():
    export = generate.whole(generate.stored("go-read-four-ways")["sound"])
    first, second = (loading.load(name) for name in OUTSIDE[:2])
    given = {first.id: {"sound": export}}
    rows = generate.short.index([first, second], given).splitlines()[-2:]
    word = generate.short.publications.WORDS[export.claims[0].verdict]
    assert f"]({first.id}.md)" in rows[0] and f"| **{word}**: " in rows[0]
    assert " reproduced" in rows[0].split(" | ")[-1]
    assert f"| {second.title} `{second.id}` | not measured yet: " in rows[1]
    listed = (PAGES / "README.md").read_text()
    assert all(f"`{name}`" in listed for name in (*OUTSIDE, *generate.FIVE))


def _small_run(**changes):
    """One of the five, with other facts of its run."""
    found = generate.stored("go-read-four-ways")["sound"]
    found["runs"][0] |= changes
    return found


@pytest.mark.parametrize(
    ("strategy", "block", "told"),
    [("rust/file-read", 128 << 10, 1), ("rust/file-read", 64 << 10, 0), ("go/read", 128 << 10, 0)],
)
def test_a_page_says_where_the_place_of_large_arrays_in_memory_can_decide(strategy, block, told):
    found = _small_run(caveats=[misplaced_caveat(5.7)])
    for case in (case for asked in found["groups"] for case in asked["cases"]):
        case["strategy"], case["params"] = strategy, {"block": block}
    page = generate.short.page(loading.load("rust-copy-buffer"), generate.whole(found))
    assert page.count("reads 5.7 times as slowly into memory") == told


def test_a_page_says_that_its_run_was_disturbed_or_ended_early():
    caveats = ["something else was running: it kept 1.8 cores busy", "this does not matter here"]
    export = generate.whole(_small_run(caveats=caveats, complete=False))
    page = generate.short.page(loading.load("rust-copy-buffer"), export)
    assert "> The run was interrupted.\n" in page
    assert "> Something else was running: it kept 1.8 cores busy.\n" in page
    assert "does not matter" not in page


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([None], "How the file came into the cache is not known: "),
        (["write-small"], "cached files were written in small pieces (`write-small`)."),
        (
            ["read-sequential", "write-large"],
            "were read in order (`read-sequential`), or written in large pieces (`write-large`).",
        ),
    ],
)
def test_a_page_says_how_the_files_of_its_run_came_into_the_cache(states, told):
    found = _small_run()
    warm = [each for each in found["groups"] if each["conditions"]["cache"] == "warm"]
    for number, each in enumerate(warm):
        each["conditions"]["cached_by"] = states[number % len(states)]
    of = loading.load("rust-copy-buffer")
    assert told in generate.short.page(of, generate.whole(deepcopy(found)))
    found["groups"] = [each for each in found["groups"] if each not in warm]
    assert not list(generate.short.cached_by(generate.whole(found))), "nothing is cached"


def test_a_question_is_answered_and_no_statement():
    of = loading.load("java-copy")
    found = _small_run()
    found["claims"] = found["claims"][: len(of.claim)]
    for claim, asked in zip(found["claims"], of.claim, strict=True):
        claim |= {"id": asked.id, "says": asked.says, "verdict": "holds"}
    page = generate.short.page(of, generate.whole(found))
    assert "**Of 2 statements: 2 reproduced.**" in page
    assert page.count("| **reproduced**: ") == 2 and page.count("| **yes**: ") == 1


def test_a_picture_of_a_short_page_has_a_row_per_number_and_fits_on_a_phone():
    point = generate.short.publications.Point
    some = [point("read", f"read {block}", "16M", 2e6, 3e6) for block in ("8K", "64K")]
    short = generate.short
    shown = short.svg(short._published(some))
    assert ">read 8K<" in shown and ">read 64K<" in shown and shown.count("2.00 ms, here 3.00") == 2
    long = short.svg(short._published([point("", "a long name " * 3, "16M", 2e6, 3e6), *some]))
    assert int(re.search(r'viewBox="0 0 360 (\d+)"', long)[1]) == 26 + 3 * (34 + 15)


def test_where_no_number_was_published_the_picture_has_the_times_of_each_question():
    found = _small_run()
    assert not found.get("published")
    shown = generate.short.picture_of(generate.whole(found)).decode()
    cases = [case for asked in found["groups"] for case in asked["cases"]]
    timed = [case for case in cases if case["ns_per_op"]["center"] is not None]
    assert shown.count('class="here"') == 1 + len(timed)  # one of the legend
    assert shown.count('class="heading"') == len(found["groups"])
    assert 'class="published"' not in shown


def test_one_study_that_cannot_be_measured_keeps_no_other_from_it(tmp_path, monkeypatch):
    kept = []

    def measured(name, folder, budget):
        if name == "c-block-size":
            raise subprocess.CalledProcessError(2, "iogauge export")
        return name

    instead = {"HERE": tmp_path, "FIVE": (), "made_picture": bytes, "made_index": str}
    for name, value in (instead | {"keep": kept.append}).items():
        monkeypatch.setattr(generate, name, value)
    monkeypatch.setattr(generate.short, "measured", measured)
    only = ["--only", "c-block-size", "java-copy"]
    monkeypatch.setattr("sys.argv", ["generate.py", "--measure", str(tmp_path), *only])
    with pytest.raises(SystemExit, match="c-block-size: not measured"):
        generate.main()
    assert kept == ["java-copy"]
