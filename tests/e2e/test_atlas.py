"""`iogauge history` and `iogauge atlas` as they are called, and the pages of an atlas."""

from __future__ import annotations

import getpass
import json
import platform
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from iogauge.commands import atlas
from iogauge.model import folders
from tests import histories
from tests.fake_study import faulty, group, measure, steady

NASTY = "</script><script>window.hacked = 1</script><img src=x onerror=alert(1)>"
TEXT = (
    group(steady(20, 40, 100) + faulty("wrong-sum"), identifier="small", more='consume = "sum"')
    + group(steady(20, 40), size="1M", identifier="large", more='consume = "sum"')
    + group(steady(20, 40), size="1M", identifier="other").replace("fastest?", f"first? {NASTY}")
)
HOST = {"identity": "1dent1ty0000", "kernel": "6.1.2-built-by-somebody", "file_system": "ext4"}
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def changed(path: Path, out: Path, change) -> Path:
    """The run file with another header."""
    header, rest = path.read_bytes().split(b"\n", 1)
    made = json.loads(header)
    change(made)
    out.parent.mkdir(exist_ok=True)
    out.write_bytes(json.dumps(made).encode() + b"\n" + rest)
    return out


@pytest.fixture(scope="module")
def runs(fake, tmp_path_factory):
    """Runs of two versions on one kind of host, of one of them on another, and an older one."""
    folder = tmp_path_factory.mktemp("atlas")
    done = measure(TEXT, fake, folder, seed=1)
    into = folder / "runs"

    def of(name, day, **host):
        def change(header):
            header["id"], header["started"] = name, f"2026-01-{day:02}T00:00:00+00:00"
            header["host"] |= HOST | host

        return changed(done.path, into / f"{name}.jsonl", change)

    newer = of("newer", 5)
    newer.write_bytes(newer.read_bytes().replace(b"fake-1.0", b"fake-2.0"))
    of("first", 1)
    of("second", 2, identity="another00000")  # the same kind of host
    of("elsewhere", 3, processor="Other Processor")
    return into


@pytest.fixture(scope="module")
def site(runs, tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "iogauge", "atlas", runs, "-o", out], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("index.html: 7 pages; open it in a browser\n")
    return out


class Links(HTMLParser):
    def __init__(self, page: Path):
        super().__init__()
        self.targets, self.ids, self.tags = [], set(), []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.tags.append((tag, of))
        if tag == "a":
            self.targets.append(of["href"])
        if "id" in of:
            assert of["id"] not in self.ids
            self.ids.add(of["id"])


def test_every_link_leads_somewhere_and_every_page_is_linked(site):
    pages = {each.name: Links(each) for each in site.glob("*.html")}
    assert len(pages) == 7
    for name, page in pages.items():
        for target in page.targets:
            file, _, anchor = target.partition("#")
            assert (file or name) in pages, target
            assert not anchor or anchor in pages[file or name].ids
        if name != "index.html":
            assert "index.html" in page.targets
            same = [each for each in page.targets if each in pages]
            assert len(same) == 1 + 2, "the first page, and the question elsewhere"
    assert {*pages} - {"index.html"} == {
        each for each in pages["index.html"].targets if not each.startswith("#")
    }


def test_nothing_comes_from_elsewhere_and_no_text_becomes_a_tag(site):
    for page in site.glob("*.html"):
        text = page.read_text("utf-8")
        for tag, of in Links(page).tags:
            assert tag not in ("script", "img", "iframe", "object"), page
            assert tag != "link" or of["href"] == "data:,"
            assert not {"src", "srcset", "onerror", "onload"} & of.keys()
        assert "@import" not in text and "url(" not in text
        assert "prefers-color-scheme: dark" in text and "width=device-width" in text


def test_no_page_names_a_host_a_user_or_a_path(site, runs):
    private = {platform.node(), getpass.getuser(), str(Path.home()), str(runs), str(site)}
    private |= {"1dent1ty0000", "another00000", "built-by-somebody", "/tmp"}
    for page in site.glob("*.html"):
        text = re.sub(r"<style>.*?</style>", "", page.read_text("utf-8"), flags=re.DOTALL)
        for word in private:
            assert not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text), (page.name, word)
    with pytest.raises(AssertionError):
        (site / "not-ours").mkdir()
        (page := site / "not-ours" / "x.html").write_text(f"<p>{platform.node()}</p>")
        shutil.copy(page, site / "x.html")
        try:
            test_no_page_names_a_host_a_user_or_a_path(site, runs)
        finally:
            shutil.rmtree(site / "not-ours")
            (site / "x.html").unlink()


def test_a_page_says_what_it_rests_on(site):
    """The newest run of each version and kind of host, its hash, and how to cite it."""
    pages = [each.read_text("utf-8") for each in site.glob("which-fake-is-fastest--*.html")]
    assert len(pages) == 3
    by_run = {re.search(r"<dt>Run</dt><dd>(\w+)", each)[1]: each for each in pages}
    assert by_run.keys() == {"newer", "second", "elsewhere"}
    text = by_run["second"]
    assert "<dt>Older runs of the same</dt><dd>first</dd>" in text
    assert re.search(r"sha256 of the run file <code>[0-9a-f]{64}</code>", text)
    assert "@misc{iogauge-second" in text and "iogauge run" in text
    assert "fake-1.0" in text and "Linux 6.1, ext4" in text
    assert text.index("<svg") < text.index("Conditions"), "the picture comes first"
    assert "speed" in text and "use this" in text


def test_an_atlas_is_written_again_over_itself_alone(iogauge, runs, tmp_path):
    out = tmp_path / "site"
    assert iogauge("atlas", runs, "-o", out).returncode == 0
    names = {each.name for each in out.iterdir()}
    some = tmp_path / "some"
    some.mkdir()
    shutil.copy(runs / "first.jsonl", some)
    assert iogauge("atlas", some, "-o", out).returncode == 0
    left = {each.name for each in out.iterdir()}
    assert left < names and len(left) == 2 + 2, "a page that nothing is known of any more is gone"
    assert iogauge("atlas", runs, "-o", out).returncode == 0
    assert {each.name for each in out.iterdir()} == names, "names stay the same"


@pytest.mark.parametrize("foreign", ["notes.txt", "other.html", ".git/config"])
def test_a_folder_with_anything_else_is_refused(iogauge, runs, tmp_path, foreign):
    out = tmp_path / "site"
    iogauge("atlas", runs, "-o", out)
    file = out / foreign
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    before = {each.name: each.stat().st_mtime_ns for each in out.iterdir()}
    done = iogauge("atlas", runs, "-o", out)
    name = foreign.split("/")[0]
    assert done.returncode == 2 and f"has {name}, which is no page of an atlas" in done.stderr
    assert {each.name: each.stat().st_mtime_ns for each in out.iterdir()} == before
    (out / atlas.MARK).write_text(json.dumps([name, *before]))
    if foreign != "other.html":  # a list that somebody changed makes no other file ours
        assert iogauge("atlas", runs, "-o", out).returncode == 2
    assert file.read_text() == "mine" or foreign == "other.html"


def test_studies_of_one_title_and_long_names_of_runtimes_have_their_pages(iogauge, runs, tmp_path):
    def other(header):
        header["plan"]["study"] = "another"

    first = runs / "first.jsonl"
    changed(first, tmp_path / "runs" / "another.jsonl", other)
    shutil.copy(first, tmp_path / "runs")
    long = first.read_bytes().replace(b"fake-1.0", b"fake-" + b"9" * 300)
    (tmp_path / "runs" / "long.jsonl").write_bytes(long.replace(b'"first"', b'"long"'))
    out = tmp_path / "site"
    done = iogauge("atlas", tmp_path / "runs", "-o", out)
    assert done.returncode == 0, done.stderr
    linked = set(Links(out / "index.html").targets)
    pages = {each.name for each in out.glob("*.html")} - {"index.html"}
    assert len(pages) == 3 * 2 and pages <= linked


def test_what_nobody_can_cite_is_no_atlas(iogauge, fake, tmp_path):
    text = group(steady(20, 40))
    done = measure(text, fake, tmp_path / "..", name="own-run", seed=1)

    def own(header):
        for each in (*header["plan"]["cases"], *header["plan"]["groups"]):
            each["workload"]["content"] = "own"

    changed(done.path, tmp_path / "runs" / "a.jsonl", own)
    done.path.unlink()
    result = iogauge("atlas", tmp_path / "runs", "-o", tmp_path / "site")
    assert result.returncode == 2 and "no run in it that an atlas can show" in result.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(site, width, tmp_path):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 800})
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        for file in sorted(site.glob("*.html")):
            page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, file.name
            assert page.evaluate("window.hacked") is None
            first = page.locator("table").first.bounding_box()
            assert first["y"] < 800 * 0.6, "the picture is on the first screen"
        browser.close()
    assert all(url.startswith(("file:", "data:")) for url in asked)


STEP = [[1000.0, 2000.0 * (1.3 if day >= 12 else 1)] for day in range(24)]


@pytest.fixture(scope="module")
def nightly(fake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nightly")
    histories.series(fake, folder, STEP)
    (folder / "foreign.jsonl").write_text("{}\n")
    return folder


def test_a_whole_history(iogauge, nightly, tmp_path):
    done = iogauge("history", nightly)
    assert done.returncode == 0, done.stderr
    assert "2026-01-13  slower: takes 1.3x as long, in the 12 runs since" in done.stdout
    # A command stays in one piece, so that it can be copied.
    lines = [each for each in done.stdout.splitlines() if not each.startswith("iogauge ")]
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert done.stderr == (
        "skipped foreign.jsonl: not a run file: its first line is no header; name one that iogauge "
        "run wrote\n"
    )
    listed = iogauge("history", nightly, "--runs").stdout.splitlines()
    assert len(listed) == 24 and listed[0].startswith("2026-01-24 00:00  run-023.jsonl  3 repeats")
    told = json.loads(iogauge("history", nightly, "--json").stdout)
    assert told["skipped"][0]["file"] == "foreign.jsonl"
    sql = "SELECT count(*) AS n, max(ns_per_op) > 2500 AS slow FROM cases"
    assert json.loads(iogauge("history", nightly, "--sql", sql, "--json").stdout) == [
        {"n": 48, "slow": True}
    ]
    csv = iogauge("history", nightly, "--sql", sql, "--format", "csv").stdout
    assert csv.splitlines() == ["n,slow", "48,yes"]
    out = tmp_path / "otava"
    assert iogauge("history", nightly, "--format", "otava", "-o", out).returncode == 0
    assert "otava.yaml" in {each.name for each in out.iterdir()}
    assert len(list(out.glob("*.csv"))) == 1


MISTAKES = {
    "no folder": (["{folder}/nowhere"], "no such folder; name a folder of run files"),
    "a file": (["{folder}/run-000.jsonl"], "not a folder; name a folder of run files"),
    "an empty folder": (["{empty}"], "no run file in it; measure with iogauge run"),
    "another format": (
        ["{folder}", "--format", "xml"],
        "--format xml: unknown; allowed: csv, otava",
    ),
    "two formats": (["{folder}", "--json", "--format", "csv"], "give it or --json, not both"),
    "otava without a folder": (["{folder}", "--format", "otava"], "give --out FOLDER"),
    "a file for nothing": (["{folder}", "-o", "x"], "--out: give --format too"),
    "sql of some cases": (["{folder}", "--sql", "SELECT 1", "--case", "x"], "leave out --case"),
    "sql that writes": (["{folder}", "--sql", "DROP TABLE seen"], "one SELECT is allowed"),
    "sql that is none": (["{folder}", "--sql", "SELEC 1"], "--sql: Parser Error"),
    "runs of some cases": (["{folder}", "--runs", "--case", "x"], "--runs: give it alone"),
}


@pytest.mark.parametrize(("words", "says"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_one_line(iogauge, nightly, tmp_path, words, says):
    filled = [each.format(folder=nightly, empty=tmp_path) for each in words]
    done = iogauge("history", *filled)
    assert done.returncode == 2 and says in done.stderr.splitlines()[-1]
    assert not done.stdout


def test_without_duckdb_it_says_how_to_get_it(iogauge, nightly, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    monkeypatch.delitem(sys.modules, "iogauge.history.database", raising=False)
    done = iogauge("history", nightly)
    assert done.returncode == 2
    assert done.stderr == "iogauge: history needs DuckDB: pip install 'iogauge[large]'\n"


def test_the_index_of_ones_own_runs_is_shown_and_removed(iogauge, fake, disk_folder):
    assert iogauge("history").stderr.startswith("iogauge: nothing was measured yet")
    histories.write(fake, folders.runs() / "a.jsonl", [1000])
    assert iogauge("history").returncode == 0
    kept = folders.runs() / folders.INDEX
    assert folders.kept_of_history() >= kept.stat().st_size > 0
    folders.remove_index()
    assert not kept.exists() and (folders.runs() / "a.jsonl").exists()


@pytest.mark.long
def test_otava_reads_the_export_and_agrees(fake, tmp_path_factory, tmp_path):
    """In an environment of its own, as it pins NumPy: it finds each planted step of 10 % and more
    that we find, at the same run.
    """
    home = tmp_path_factory.mktemp("otava")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    pip = [home / "bin" / "pip", "install", "-q", "apache-otava"]
    subprocess.run(pip, check=True, capture_output=True, timeout=600)
    root = Path(__file__).parents[2]
    words = ["benchmarks/history.py", "--files", "1200", "--otava", str(home / "bin" / "otava")]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=root)
    print(done.stdout)
    rows = [line.split(" | ") for line in done.stdout.splitlines()]
    found = {
        (row[0].strip("| "), row[1]): (int(row[2]), int(row[3]))
        for row in rows
        if len(row) == 5 and row[2].isdigit()
    }
    for ratio in ("1.1", "1.2"):
        assert found["iogauge", ratio][0] > 0
        assert found["iogauge", ratio] == found["Otava", ratio] == (found["iogauge", ratio][0],) * 2
