"""Documents that run: what they name exists, what exists is named."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import sys
from pathlib import Path

import pytest

from iogauge.model.figures import EXPORTED
from iogauge.outputs import json as json_output
from iogauge.outputs.contract import OfLanguage
from iogauge.outputs.document import Document
from iogauge.runfile.records import KINDS
from iogauge.study import loading, publication
from tests.scripts import module_at
from tests.test_layers import ORDER

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("runners/**/*.md")])
README = (ROOT / "README.md").read_text()


def test_every_command_has_help_and_is_in_the_readme(iogauge):
    def help_of(*arguments: str) -> str:
        done = iogauge(*arguments, "--help")
        assert done.returncode == 0, done.stderr
        return done.stdout

    commands = re.findall(r"^  (\w+)  +\w", help_of().partition("Commands:")[2], re.MULTILINE)
    assert {
        "run",
        "command",
        "plan",
        "advise",
        "show",
        "explain",
        "claims",
        "report",
        "chart",
        "export",
        "list",
        "check",
        "doctor",
        "clean",
        "new",
    } == set(commands)
    for command in commands:
        assert f"iogauge {command}" in README
        assert len(help_of(command).splitlines()) > 3


def test_every_built_in_study_is_in_the_readme_or_in_the_list_that_it_links_to():
    others = (ROOT / "docs" / "studies" / "README.md").read_text()
    for each in loading.built_in():
        assert f"`{each.id}`" in README + others


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_examples_in_the_study_format_are_valid():
    page = (ROOT / "docs" / "study-format.md").read_text()
    whole, writing, along, protocols, published, claim = re.findall(
        r"```toml\n(.*?)```", page, re.DOTALL
    )
    assert loading.parse(whole, "example").id == "my-logs"
    cases = '[[group.case]]\nstrategy = "go/file-write"\n'
    assert (
        loading.parse('id = "a"\ntitle = "A"\n' + writing + cases, "example").group[0].operation
        == "write"
    )
    parsed = loading.parse('id = "a"\ntitle = "A"\n' + along, "example")
    assert parsed.group[0].along == "durability"
    group = '[[group]]\nid = "published-blocks"\nprotocol = "published"\nquestion = "?"\nsize = 1\n[[group.case]]\nstrategy = "java/x"\n'
    for protocol in protocols.split("\n\n"):
        parsed = loading.parse(
            'id = "a"\ntitle = "A"\n' + protocol + "\n" + group + published + claim, "example"
        )
        assert (
            parsed.published[0].values[1] == [256, 33.70, 0.4]
            and parsed.claim[0].test[0].kind == "plateau"
        )


def test_every_kind_of_claim_is_described():
    page = (ROOT / "docs" / "study-format.md").read_text()
    table = page[page.index("| kind | says |") :]
    for kind, (needed, allowed) in publication.TEST_KEYS.items():
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


PUBLISHED = """
[published_protocol]

[[group]]
id = "g"
question = "?"
protocol = "published"
size = "64K"
cache = "as-left"

[[group.case]]
strategy = "fake/steady"
parameters = { speed = [10, 20] }

[[published]]
table = "T"
group = "g"
strategy = "fake/steady"
parameters = { scatter = 0 }
along = "speed"
unit = "ms"
values = [[10, 1.5]]

[[claim]]
id = "faster"
says = "10 is faster than 20."

[[claim.test]]
kind = "monotone"
cases = "fake/steady*"
along = "speed"
"""


def test_the_export_has_exactly_the_documented_keys(fake, tmp_path):
    from tests.fake_study import Clock, group, measure, steady

    page = (ROOT / "docs" / "export-json.md").read_text()
    contract = re.findall(r"```\n(.*?)```", page, re.DOTALL)[0]
    said = contract.replace("the table below has every", "")
    names = set(re.findall(r"[a-z][a-z_0-9]*", said)) - {"number"} | set(EXPORTED)
    more = 'compare = "all"\nalong = "cache"'
    states = group(steady(100, 101, scatter=100), cache='["warm", "as-left"]', more=more)
    # Time for some five replicates of each: with fewer, not all is told.
    soundly = measure(states, fake, tmp_path, seed=1, clock=Clock(step=0.01), budget=8.0)
    as_published = measure(
        PUBLISHED, fake, tmp_path, seed=1, protocol="published", name="published"
    )
    exported = [
        json.loads(json_output.render(Document(each.run))) for each in (soundly, as_published)
    ]

    free = {
        "host",
        "params",
        "roles",
        "workload",
        "conditions",
        "skipped",
        "caveats",
        "failures",
        "runtimes",
        "kinds",
        "place_in_round",
        "by_runtime",
        "others",
    }

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*(keys(each) for key, each in value.items() if key not in free))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    of_language = set(OfLanguage.__struct_fields__)  # one language alone is compared with none
    assert keys(exported) | of_language == names


def test_tables_that_follow_from_the_code_are_up_to_date():
    found = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    tables = importlib.util.module_from_spec(found)
    found.loader.exec_module(tables)
    for file, (name, table) in tables.TABLES.items():
        page = (ROOT / "docs" / file).read_text()
        assert tables.written(page, name, table) == page, "run python docs/tables.py"


def test_a_page_of_a_publication_is_made_of_its_export(fake, tmp_path):
    """Cut down to what the page needs; numbers as printed stay as printed."""
    from tests.fake_study import measure

    found = importlib.util.spec_from_file_location(
        "generate", ROOT / "docs" / "studies" / "generate.py"
    )
    generate = importlib.util.module_from_spec(found)
    found.loader.exec_module(generate)
    text = PUBLISHED.replace("[[10, 1.5]]", "[[10, 1.2345678]]").replace(
        "[published_protocol]", '[source]\ntitle = "A blog"\n\n[published_protocol]'
    )
    done = measure(text, fake, tmp_path, seed=1, protocol="published")
    whole = json.loads(json_output.render(Document(done.run)))
    summary = generate.small(json.loads(json.dumps(whole)))
    assert len(json.dumps(summary)) < 0.7 * len(json.dumps(whole))
    page = generate.page(
        loading.parse(done.run.header.study_source, "s"),
        {"published": summary, "sound": summary},
        "Fair enough.",
    )
    verdict = whole["claims"][0]["verdict"]
    assert "- Title: A blog" in page and "Fair enough." in page
    assert f"| 10 is faster than 20. | {verdict} | {verdict} |" in page
    assert re.search(
        r"^\| `fake/steady`, scatter 0, speed 10 \| 1.2345678 \| 0\.00\d+ \(0\.00\d+–0\.00\d+\) \|$",
        page,
        re.MULTILINE,
    ), page
    assert re.search(
        r"^\| `fake/steady`, scatter 0, speed 20 \| .+ µs.* \| 2\.00 .*\|", page, re.MULTILINE
    ), page


def test_the_architecture_has_every_package_in_its_order():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page[page.index("| package | comes in |") :].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == ORDER
    way = page[page.index("## From a TOML file") :].partition("\n## ")[0]
    assert re.findall(r"^(\d+)\.", way, re.MULTILINE) == [str(each) for each in range(1, 16)]


def test_the_picture_of_the_packages_is_what_its_script_draws():
    packages = module_at(ROOT / "docs" / "packages.py")
    assert (ROOT / "docs" / "packages.svg").read_text() == packages.drawn()
    assert {box.name for box in packages.BOXES.values() if box.kind != "thing"} == set(ORDER)


def test_the_page_of_the_proofs_is_short_and_names_what_remains():
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    assert len(page.splitlines()) <= 200
    effects = (ROOT / "benchmarks" / "effects").glob("*.py")
    shown = {each.stem.replace("_", "-") for each in effects if "def show(" in each.read_text()}
    assert (
        set(re.findall(r"^\| `([\w-]+)` \([A-Z, ]+\) \|.*\|.*\|.*\|$", page, re.MULTILINE)) == shown
    )


def test_the_changelog_knows_this_version():
    from iogauge import __version__

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
