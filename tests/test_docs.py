"""Documents that run: what they name exists, what exists is named."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

from iogauge import __version__
from iogauge.model.figures import EXPORTED
from iogauge.outputs import json as json_output
from iogauge.outputs.contract import InStates, OfLanguage, VersionPair, Versions
from iogauge.outputs.document import Document
from iogauge.runfile.records import KINDS
from iogauge.study import loading, schema
from tests.fake_study import STUDIES, Clock, group, measure, steady
from tests.scripts import module_at
from tests.test_shape import ORDER

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("runners/**/*.md")])


COMMANDS = "advise atlas calibrate chart check claims clean command doctor explain export history list new plan report run"
COMMANDS = {*COMMANDS.split(), "show", "watch", "gate", "compare", "fleet"}


# `iogauge WORD` in code: a word in capitals or with a dot is a file.
_WORD = r"iogauge ([a-z][a-z-]*)(?![\w./:-])"
_IN_CODE = re.compile(rf"`{_WORD}|^ {{4}}(?:\$ )?{_WORD}", re.MULTILINE)


def test_every_command_is_documented_and_every_documented_command_exists(iogauge):
    done = iogauge("--help")
    assert done.returncode == 0, done.stderr
    listed = done.stdout.partition("Commands:")[2]
    assert set(re.findall(r"^  (\w+)  +\w", listed, re.MULTILINE)) == COMMANDS
    page = (ROOT / "docs" / "command-line.md").read_text()
    assert not {each for each in COMMANDS if f"iogauge {each}" not in page}
    for page in PAGES:
        code = _IN_CODE.findall(page.read_text())
        assert not {one or other for one, other in code} - COMMANDS, page


def test_every_built_in_study_is_listed():
    pages = ("results.md", "studies/README.md")
    listed = "".join((ROOT / "docs" / page).read_text() for page in pages)
    assert not [each.id for each in loading.built_in() if f"`{each.id}`" not in listed]


def anchors(page: Path) -> set[str]:
    """Of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
        if not target.startswith("http"):
            at = page.parent / target if target else page
            assert at.exists(), target
            assert not anchor or anchor in anchors(at), f"{target}#{anchor}"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/concepts.md"])
def test_files_that_a_page_names_exist(page):
    """Below the root, the package, its page, or a runner; names with capitals are examples."""
    named = re.findall(r"`([\w/.]+\.py|[\w/]+/)`", (ROOT / page).read_text())
    package = ROOT / "src" / "iogauge"
    roots = (ROOT, package, package / "outputs" / "html", *ROOT.glob("runners/*/"))
    assert named or page == "docs/concepts.md"
    for each in named:
        assert each != each.lower() or any((root / each).exists() for root in roots), each


def test_the_examples_in_the_study_format_are_valid():
    page = (ROOT / "docs" / "study-format.md").read_text()
    examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    whole, writing, along, protocols, published, claim = examples

    def parsed(text):
        return loading.parse('id = "a"\ntitle = "A"\n' + text, "example")

    assert loading.parse(whole, "example").id == "my-logs"
    writes = parsed(f'{writing}[[group.case]]\nstrategy = "go/file-write"\n')
    assert writes.group[0].operation == "write"
    assert parsed(along).group[0].along == "durability"
    group = '[[group]]\nid = "published-blocks"\nprotocol = "published"\nquestion = "?"\nsize = 1\n[[group.case]]\nstrategy = "java/x"\n'
    for protocol in protocols.split("\n\n"):
        found = parsed(f"{protocol}\n{group}{published}{claim}")
        assert found.published[0].values[1] == [256, 33.70, 0.4]
        assert found.claim[0].test[0].kind == "plateau"


def test_every_kind_of_claim_is_described():
    page = (ROOT / "docs" / "study-format.md").read_text()
    table = page[page.index("| kind | says |") :]
    for kind, (needed, allowed) in schema.TEST_KEYS.items():
        row = next(line for line in table.splitlines() if f"`{kind}`" in line.split("|")[1])
        assert all(f"`{key}" in row for key in (*needed, *allowed)), kind


def test_every_record_kind_is_described():
    """Every field; the coordinates are described together."""
    page = (ROOT / "docs" / "run-file.md").read_text()
    coordinates = ("bundle", "replicate", "attempt", "part")
    for kind, record in KINDS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{kind}` |"))
        fields = record.__struct_encode_fields__
        if "as `sample`" in row:
            assert fields == KINDS["sample"].__struct_encode_fields__
            continue
        missing = [key for key in fields if f"`{key}`" not in row and key not in coordinates]
        assert not missing, f"{kind}: {missing}"


PUBLISHED = (STUDIES / "published.toml").read_text()


FREE = (
    "host params roles workload conditions skipped caveats failures runtimes kinds place_in_round"
)
FREE = {*FREE.split(), "by_runtime", "others"}
"""The keys of whose values there is no list."""


def keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(keys(each) for key, each in value.items() if key not in FREE))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def test_the_export_has_exactly_the_documented_keys(fake, tmp_path):
    page = (ROOT / "docs" / "export-json.md").read_text()
    contract = re.findall(r"```\n(.*?)```", page, re.DOTALL)[0]
    said = contract.replace("the table below has every", "")
    names = set(re.findall(r"[a-z][a-z_0-9]*", said)) - {"number"} | set(EXPORTED)
    more = 'compare = "all"\nalong = "cache"'
    states = group(steady(100, 101, scatter=100), cache='["warm", "as-left"]', more=more)
    # Time for some five replicates of each: with fewer, not all is told.
    soundly = measure(states, fake, tmp_path, seed=1, clock=Clock(step=0.01), budget=8.0)
    as_authors = {"protocol": "published", "name": "published"}
    both = soundly, measure(PUBLISHED, fake, tmp_path, seed=1, **as_authors)
    exported = [json.loads(json_output.render(Document(each.run))) for each in both]
    structures = (VersionPair, Versions)  # no run here has two versions
    exported += [dict.fromkeys(each.__struct_fields__) for each in structures]
    # One language alone is compared with none, and there is no span along states of the cache.
    of_language = {*OfLanguage.__struct_fields__, *InStates.__struct_fields__}
    assert keys(exported) | of_language == names


def test_tables_that_follow_from_the_code_are_up_to_date():
    tables = module_at(ROOT / "docs" / "tables.py")
    for file, (name, table) in tables.TABLES.items():
        page = (ROOT / "docs" / file).read_text()
        assert tables.written(page, name, table) == page, "run python docs/tables.py"


def test_a_page_of_a_publication_is_made_of_its_export(fake, tmp_path):
    """Cut down to what the page needs; numbers as printed stay as printed."""
    generate = module_at(ROOT / "docs" / "studies" / "generate.py")
    text = '[source]\ntitle = "A blog"\n' + PUBLISHED.replace("1.5]]", "1.2345678]]")
    done = measure(text, fake, tmp_path, seed=1, protocol="published")
    whole = json.loads(json_output.render(Document(done.run)))
    summary = generate.small(json.loads(json.dumps(whole)))
    assert len(json.dumps(summary)) < 0.7 * len(json.dumps(whole))
    study = loading.parse(done.run.header.study_source, "s")
    page = generate.page(study, {"published": summary, "sound": summary}, "Our words.")
    rows = [re.split(r" *\| *", line)[1:-1] for line in page.splitlines() if line[:1] == "|"]
    verdict = whole["claims"][0]["verdict"]
    assert [study.claim[0].says, verdict, verdict] in [row[:3] for row in rows]
    measured = [row[2] for row in rows if row[1] == "1.2345678"]
    assert measured and all(re.match(r"\d+(\.\d+)? ", each) for each in measured), measured
    assert "Our words." in page


def test_the_architecture_has_every_package_in_its_order():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page[page.index("| package | comes in |") :].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == ORDER
    way = page[page.index("## From a TOML file") :].partition("\n## ")[0]
    assert re.findall(r"^(\d+)\.", way, re.MULTILINE) == [str(each) for each in range(1, 15)]


def test_the_picture_of_the_packages_is_what_its_script_draws():
    packages = module_at(ROOT / "docs" / "packages.py")
    assert (ROOT / "docs" / "packages.svg").read_text() == packages.drawn()
    assert {box.name for box in packages.BOXES.values() if box.kind != "thing"} == set(ORDER)


def test_the_page_of_the_proofs_is_short_and_names_what_remains():
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    assert len(page.splitlines()) <= 200
    effects = (ROOT / "benchmarks" / "effects").glob("*.py")
    shown = {each.stem.replace("_", "-") for each in effects if "def show(" in each.read_text()}
    row = r"^\| `([\w-]+)` \([A-Z, ]+\) \|.*\|.*\|.*\|$"
    assert set(re.findall(row, page, re.MULTILINE)) == shown


def test_the_changelog_knows_this_version():

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text()


BENCHMARKS = [
    each for each in sorted((ROOT / "benchmarks").glob("*.py")) if "__main__" in each.read_text()
]


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda script: script.stem)
def test_every_benchmark_can_be_asked_what_it_does(script, monkeypatch, capsys):
    """It imports what it needs, and a page says how to call it. All do so in this process, where
    libraries that take a second to load are loaded once.
    """
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    monkeypatch.syspath_prepend(script.parent)
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(script), run_name="__main__")
    assert not end.value.code and capsys.readouterr().out.startswith("usage: ")
    assert any(f"benchmarks/{script.name}" in page.read_text() for page in PAGES)
