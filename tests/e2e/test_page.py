"""The report's page, in a real Chromium: what a person sees, hears and can reach by keyboard. And
the pictures of `iogauge chart`.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import re
import shutil
from collections import Counter
from functools import cache
from html import escape
from pathlib import Path

import pytest
from msgspec.structs import replace

from iogauge.commands import arguments as arg
from iogauge.commands import looking
from iogauge.model.errors import UserError
from iogauge.outputs import contract, html
from iogauge.outputs.document import Document, Page, Source
from iogauge.outputs.html import figures, vega
from iogauge.runfile.records import Caveat
from tests.fake_study import faulty, group, measure, steady
from tests.scripts import module_at

ROOT = Path(__file__).parents[2]

BROWSERS = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
browser_wanted = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium; install it, e.g. apt-get install chromium"
)

NASTY = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"'`{{ 7 * 7 }} שלום "
    + "long" * 60
)
SUM = 'consume = "sum"'
TEXT = (
    group(steady(20, 40, 100) + faulty("wrong-sum"), size="64K", identifier="small", more=SUM)
    + group(steady(20, 40), size="1M", identifier="large", more=SUM)
    + group(steady(20, 40, 100), size="64K", identifier="cold", cache='["cold"]', more=SUM)
)


@pytest.fixture(scope="session")
def source(fake, disk_folder):
    """Three groups on the fake runner, in two languages; titles, questions, host and more full of
    what browsers might take for more than text.
    """
    folder = disk_folder / "page"
    folder.mkdir()
    text = TEXT.replace(
        "Which fake is fastest?", "Which is fastest? " + NASTY.replace("\\", "").replace('"', '\\"')
    )
    done = measure(text, fake, folder, seed=1)
    done.run.header.host["processor"] = NASTY
    done.run.add(Caveat(about="run", text=NASTY))
    plain = _in_two_languages(_with_blocks(Document(done.run).export.plain()))
    return Source(contract.read(plain), done.run, "0" * 64)


def page_of(*sources: Source) -> str:
    return html.render(Page(sources))


def stored(plain: dict) -> Source:
    """A summary of a run that is not there any more."""
    return Source(contract.read(plain))


def _with_blocks(document):
    """The fake runner's speeds as if they were blocks: there are charts over these."""
    document = copy.deepcopy(document)
    for each in document["groups"]:
        for case in each["cases"]:
            if case["strategy"] == "fake/steady":
                case["params"] = {"block": 1024 * case["params"]["speed"]}
                case["roles"] = {"block": "piece"}
        for knee in each["knees"]:
            if knee["parameter"] == "speed":
                knee.update(parameter="block", others={}, near=knee["near"] and 1024 * knee["near"])
    return document


def _in_two_languages(document):
    """One of the speeds as another language's, whose every text is hostile."""
    document["runs"][0]["title"] += NASTY
    for case in (case for each in document["groups"] for case in each["cases"]):
        if case["params"] == {"block": 1024 * 40}:
            case.update(
                language="other",
                strategy="other/steady",
                label=f"other/steady 40K {NASTY}",
                display=f"other/steady 40K {NASTY}",
                options=[NASTY],
                caveats=[NASTY],
            )
    return document


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    # Without a graphics processor, layers are put together by the processor in any case: plainly
    # rather than by an emulation of one.
    with sync_playwright() as play:
        opened = play.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
        )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def file(source, tmp_path_factory):
    path = tmp_path_factory.mktemp("html") / "report.html"
    path.write_text(page_of(source))
    return path


@pytest.fixture(scope="session")
def stored_page(tmp_path_factory):
    """Gives the page of what is stored of a publication's runs, or of all five, made once: it takes
    seconds.
    """
    generate = module_at(ROOT / "docs" / "studies" / "generate.py")
    folder = tmp_path_factory.mktemp("stored")

    @cache
    def made(name: str | None) -> Path:
        path = folder / f"{name}.html"
        if name is None:
            path.write_text(generate.made_report())
            return path
        sources = (Source(generate.whole(each)) for each in generate.stored(name).values())
        path.write_text(page_of(*sources))
        return path

    return made


@pytest.fixture(scope="module")
def window(browser):
    """A window of the browser: to open one anew takes longer than to load a page into it. It keeps
    every complaint of the browser, and every request, of the page that it shows.
    """
    page = browser.new_page()
    page.unfolded = False
    page.on(
        "console",
        lambda message: (
            page.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.requested.append(request.url))
    yield page
    page.close()


def nothing_to_complain_of(page) -> None:
    assert page.complaints == []
    schemes = [each.partition(":")[0] for each in page.requested]
    assert set(schemes) <= {"file", "data"} and schemes.count("file") == 1
    assert page.evaluate("window.hacked") is None


@pytest.fixture
def opened(window, file, tmp_path):
    """Opens the page, or another one that is given as a file or as text, as a person with such a
    window would.
    """

    def go(width: int = 1400, shown: str | Path = file, color_scheme: str = "light"):
        if isinstance(shown, str):
            text, shown = shown, tmp_path / "page.html"
            shown.write_text(text)
        window.unfolded = False
        window.goto("about:blank")
        window.set_viewport_size({"width": width, "height": 900})
        window.emulate_media(media="null", color_scheme=color_scheme)
        window.complaints, window.requested = [], []
        window.goto(shown.as_uri())
        window.wait_for_selector("body[data-ready]", timeout=60_000)
        return window

    yield go
    nothing_to_complain_of(window)


@pytest.fixture
def all_unfolded(window, opened):
    """The page with all folds open, all charts drawn and all tables filled. A test leaves it so:
    the next one goes on with it, because to draw all takes longest of all.
    """
    if not window.unfolded:
        assert opened().query_selector(".chart svg") is None
        assert not window.evaluate("window.vegaEmbed")
        unfold(window, tables=True)
    window.unfolded = False  # until it is seen to be left so
    yield window
    window.set_viewport_size({"width": 1400, "height": 900})
    window.emulate_media(media="null")
    nothing_to_complain_of(window)
    assert window.query_selector_all("details:not([open]), tbody tr[hidden]") == []
    window.unfolded = True


def screens(page) -> float:
    """How long a page is as it opens."""
    return page.evaluate("document.documentElement.scrollHeight") / 900


@browser_wanted
@pytest.mark.parametrize("width", [360, 1400])
def test_the_first_screen_answers_and_draws_and_the_rest_is_folded(opened, width):
    page = opened(width)
    assert screens(page) < (4 if width == 1400 else 8)
    assert page.query_selector_all("details[open]") == []
    for card in page.query_selector_all("article.card"):
        says, picture = (card.query_selector(each).bounding_box() for each in (".says", ".picture"))
        beside = picture["x"] >= says["x"] + says["width"]
        assert beside == (width == 1400), "side by side, or one under the other"
        assert card.query_selector_all(".recommended") and card.query_selector_all("circle")
    if width == 1400:
        assert page.query_selector("article.card .picture").bounding_box()["y"] < 650
    rows = [
        (row.query_selector(".speed").inner_text(), row.inner_text())
        for row in page.query_selector_all("tr[data-strategy]:has(.speed)")
    ]
    assert rows
    for speed, row in rows:
        unmeasured = "failed" in row or "not measured" in row
        assert unmeasured or re.search(r"\d .?B/s|\d [mµn]?s", speed), row


def test_the_answers_of_several_questions_stand_in_short_above_their_cards(source):
    assert 'class="short"' not in page_of(source), "one question needs no list"
    plain = source.export.plain()
    plain["groups"][1]["question"] = "Another?"
    text = page_of(stored(plain))
    short, card = text.index('<div class="short">'), text.index('<article class="card"')
    listed = text[short:card]
    links = re.findall(r'<a class="question" href="#(question-\d)">', listed)
    assert links == re.findall(r'<article class="card" id="(question-\d)">', text)
    assert ">2 Another?</a>" in listed and listed.count('class="cell"') >= 2 == len(links)


# Names of panels in the first row of a chart that overlap the next one, or the row below.
OVERLAPPING = """table => {
    const names = [...table.querySelectorAll('.panel')].map(each => each.getBoundingClientRect());
    const below = table.querySelector('tbody').getBoundingClientRect().top;
    return names.filter((each, n) => each.bottom > below || (names[n + 1] && each.left >= names[n + 1].left)).length; }"""


@browser_wanted
@pytest.mark.parametrize("width", [420, 1400])
def test_many_circumstances_have_the_whole_width_above_the_words(opened, source, width):
    plain, small = source.export.plain(), source.export.plain()["groups"][0]
    more = [copy.deepcopy(small) | {"id": f"more-{each}"} for each in range(3)]
    plain["groups"] = [*plain["groups"], *more]
    for number, each in enumerate(plain["groups"]):
        for case in each["cases"]:
            case["workload"]["size"] = 1024 << number
    page = opened(width, page_of(stored(plain)))
    pair = page.query_selector("article.card .pair")
    says, picture = (pair.query_selector(each).bounding_box() for each in (".says", ".picture"))
    assert picture["y"] + picture["height"] <= says["y"]
    assert picture["width"] == pytest.approx(pair.bounding_box()["width"], abs=1)
    assert pair.query_selector("table.dots").evaluate(OVERLAPPING) == 0


@browser_wanted
@pytest.mark.long
def test_a_page_of_several_studies_is_short_and_unfolds_in_place(opened, stored_page):
    page = opened(shown=stored_page(None))
    assert screens(page) < 10
    assert page.query_selector_all("details[open]") == []
    lines = page.query_selector_all("#answers summary.line")
    assert len(lines) > 20
    assert max(each.bounding_box()["height"] for each in lines) < 80
    assert len(page.query_selector_all("article.publication .picture svg")) >= 5
    lines[0].click()
    card = page.query_selector("#answers details[open]")
    assert card.query_selector("table.dots circle").is_visible()
    figure = card.query_selector("figure[data-kind]")
    see(page, figure)


# Of a figure: the cells of a column but of rows without a point (a ceiling has no block), and where
# its points stand on an axis, in the axis' own unit.
CELLS = """(figure, title) => {
    const titles = [...figure.querySelectorAll('thead th')].map(each => each.textContent);
    const block = titles.findIndex(each => ['block', 'buffer'].includes(each));
    return [...figure.querySelectorAll('tbody tr')].map(row => block >= 0 && row.cells[block].textContent === '–' ? null : row.cells[titles.indexOf(title)].textContent); }"""
POINTS = """(figure, along) => {
    const chart = figure.querySelector('.chart'), scale = chart.view.scale(along);
    return [...chart.querySelectorAll('svg .mark-symbol.role-mark path')].map(each => {
        const [x, y] = each.getAttribute('transform').match(/-?[0-9.]+(?:e-?[0-9]+)?/g).map(Number);
        return scale.invert(along === 'x' ? x : y); }); }"""


def nanoseconds(text: str) -> float:
    """Of a duration as tables tell it."""
    number, unit = text.split()
    return float(number) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]


def see(page, figure) -> None:
    """Waits until a figure that comes into sight is drawn."""
    figure.scroll_into_view_if_needed()
    page.wait_for_function("each => each.querySelector('.chart').dataset.drawn", arg=figure)


def unfold(page, tables: bool = False, kind: str = "[data-kind]") -> None:
    """Opens every fold and has every chart of this kind drawn; `tables`: has the table behind it
    filled, too.
    """
    page.eval_on_selector_all(
        f"details{'' if tables else ':not(.behind)'}",
        "all => all.forEach(each => { each.open = true; })",
    )
    for figure in page.query_selector_all(f"figure{kind}"):
        see(page, figure)
        if tables:
            page.wait_for_function("each => each.querySelector('tbody tr')", arg=figure)
    page.evaluate("scrollTo(0, 0)")


def colours(page, png: bytes) -> int:
    """Distinct colours of a picture."""
    return page.evaluate(
        """async data => {
            const image = await createImageBitmap(await (await fetch(data)).blob());
            const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size; }""",
        "data:image/png;base64," + base64.b64encode(png).decode(),
    )


@browser_wanted
def test_every_chart_is_drawn_and_agrees_with_its_table(all_unfolded):
    page = all_unfolded
    drawings = page.query_selector_all("figure[data-kind]")
    kinds = {each.get_attribute("data-kind") for each in drawings}
    assert kinds == {"blocks", "ranking", "sizes", "samples", "schedule"}
    for figure in drawings:
        chart = figure.query_selector(".chart")
        if figure.get_attribute("data-kind") in ("samples", "schedule"):
            assert chart.query_selector("svg .mark-symbol path, svg .mark-rect path") is not None
            continue
        box = chart.query_selector("svg").bounding_box()
        assert box["width"] > 500 and box["height"] > 60
        rows = figure.query_selector_all("tbody tr")
        along, column = (
            ("x", "time")
            if figure.get_attribute("data-kind") == "ranking"
            else ("y", "time per MiB")
        )
        told = sorted(nanoseconds(row) for row in figure.evaluate(CELLS, column) if row)
        points = sorted(figure.evaluate(POINTS, along))
        assert points == pytest.approx(
            [each / 1e6 for each in told] if along == "x" else told, rel=0.01
        ), "points stand where the table says"
        assert int(chart.get_attribute("data-drawn")) == len(rows)
        assert colours(page, chart.screenshot()) >= 4


@browser_wanted
def test_what_others_wrote_is_text(all_unfolded):
    page = all_unfolded
    assert "</script><script>window.hacked = 1</script>" in page.inner_text("#answers h3")
    assert "{{ 7 * 7 }}" in page.inner_text("#answers h3")
    assert "<img src=x" in page.inner_text("header")
    for where in (
        "h1",
        "#runs .caveat",
        "table.evidence th:has-text('other/steady')",
        "table.evidence td:has-text('fake-1.0 <')",
        "figure[data-kind=ranking] svg",
    ):
        assert "</script><script>" in page.query_selector(where).text_content(), where


@browser_wanted
@pytest.mark.long
def test_each_filter_hides_rows_and_points_and_gives_them_back(all_unfolded):
    page = all_unfolded
    names = page.evaluate(
        "[...new Set([...document.querySelectorAll('#filters input')].map(each => each.name))]"
    )
    assert names == ["language", "strategy", "size", "state"]
    failed = page.query_selector("table.evidence tr:has-text('failed: wrong sum')")
    all_rows = len(page.query_selector_all("tbody tr:not([hidden])"))
    for name in names:
        first = page.query_selector(f"#filters input[name={name}]")
        value = first.get_attribute("value")
        first.click()
        page.wait_for_function("document.getElementById('shown').textContent !== ''")
        assert page.query_selector_all(f"tbody tr[data-{name}='{value}']:not([hidden])") == []
        assert 0 < len(page.query_selector_all("tbody tr:not([hidden])")) < all_rows
        page.wait_for_function("""() => [...document.querySelectorAll('figure[data-kind]')].every(figure => {
            const rows = figure.querySelectorAll('tbody tr:not([hidden])').length;
            return rows ? Number(figure.querySelector('.chart').dataset.drawn) === rows : !figure.querySelector('svg'); })""")
        page.query_selector("#filters button").click()
        page.wait_for_function("document.getElementById('shown').textContent === ''")
        assert len(page.query_selector_all("tbody tr:not([hidden])")) == all_rows
        assert failed.is_visible()


@browser_wanted
def test_what_was_drawn_is_on_paper_and_no_wider_than_it(all_unfolded):
    page = all_unfolded
    figure = page.query_selector("figure[data-kind=samples]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    assert figure.query_selector("svg").is_visible()
    assert figure.query_selector("svg").bounding_box()["width"] <= 700
    page.evaluate("dispatchEvent(new Event('afterprint'))")


@pytest.fixture(scope="session")
def later(source):
    """The same on another version of the runtime, twice as slow; of the run only its export is
    left.
    """
    document = source.export.plain()
    document["runs"][0].update(id="later", started="2026-02-02T00:00:00+00:00")
    for case in (case for each in document["groups"] for case in each["cases"]):
        case["runtime"] = "fake-2.0"
        case["ns_per_op"] = {name: value and 2 * value for name, value in case["ns_per_op"].items()}
    return stored(document)


def test_runs_side_by_side(source, later):
    found = list(figures.side_by_side(Page((source, later)).side_by_side))
    assert [each.kind for each in found] == ["runs"] * 3
    measured = sum(
        case.ns_per_op.center is not None for each in source.export.groups for case in each.cases
    )
    assert sum(len(each.rows) for each in found) == 2 * measured
    rows = [row for each in found for row in each.rows]
    assert sum(row["over_lo"] is not None for row in rows) > len(rows) / 4
    for row in rows:
        later_on = row["series"].startswith("B: fake-2.0")
        assert row["over_first"] == pytest.approx(2.0 if later_on else 1.0)
        known = row["over_lo"] is not None  # not of what was dropped after one replicate
        assert not known or later_on and row["over_lo"] < 2 < row["over_hi"]
    alone = later.export.plain()
    for case in (case for each in alone["groups"] for case in each["cases"]):
        case["strategy"] = f"another/{case['strategy']}"
    assert not list(figures.side_by_side(Page((source, stored(alone))).side_by_side))


@browser_wanted
def test_a_page_of_several_runs_and_of_a_stored_summary(opened, source, later):
    page = opened(shown=page_of(source, later))
    drawn = page.query_selector_all("figure[data-kind]")
    kinds = Counter(each.get_attribute("data-kind") for each in drawn)
    assert kinds["runs"] == 3 and kinds["ranking"] == 6
    assert kinds["samples"] == 3, "of the summary there are none"
    unfold(page, tables=True)
    first = page.query_selector("figure[data-kind=runs]")
    points = first.query_selector_all(".chart svg .mark-symbol.role-mark path")
    assert len(points) == len(first.query_selector_all("tbody tr"))
    assert page.inner_text("#runs").count("A: ") == page.inner_text("#runs").count("B: ") == 1


@browser_wanted
@pytest.mark.parametrize("name", [None, "filewriter-bufferedwriter-jmh"])
def test_the_contents_lead_to_every_section(opened, name, stored_page):
    """From the first key on: the page is as long as its runs have groups."""
    page = opened(360, stored_page(name)) if name else opened(360)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    assert first == ("Published statements, tested again" if name else "Answers")
    targets = (
        "all => all.map(each => [each.textContent, each.getAttribute('href') || '#' + each.id])"
    )
    links = page.eval_on_selector_all("nav a", targets)
    assert links == page.eval_on_selector_all("main h2", targets)
    assert sum(title.startswith("Published ") for title, _ in links) == (1 if name else 0)
    for title, target in links:
        page.click(f"nav a[href='{target}']")
        top = page.eval_on_selector(target, "each => each.getBoundingClientRect().top")
        assert -1 < top < 900, title
        page.evaluate("scrollTo(0, 0)")


@browser_wanted
def test_a_card_is_drawn_when_it_is_unfolded_and_its_tables_when_these_are(opened):
    page = opened()
    card = page.query_selector("article.card")
    figure = card.query_selector("figure[data-kind=ranking]")
    assert not figure.is_visible() and figure.query_selector("tbody tr") is None
    card.query_selector("details.more > summary").click()
    see(page, figure)
    assert figure.query_selector("svg .mark-symbol path") is not None
    assert figure.query_selector_all("tbody tr") == []
    figure.query_selector("details.behind > summary").click()
    page.wait_for_function("figure => figure.querySelector('tbody tr')", arg=figure)
    drawn = figure.query_selector(".chart").get_attribute("data-drawn")
    assert len(figure.query_selector_all("tbody tr")) == int(drawn)


@browser_wanted
def test_all_can_be_done_by_keyboard(opened):
    page = opened()

    def reached(most: int):
        """The next elements by the Tab key, until it leaves the page."""
        for _ in range(most):
            page.keyboard.press("Tab")
            tag = page.evaluate("document.activeElement.tagName")
            if tag == "BODY":
                return
            yield tag

    seen = set()
    for tag in reached(300):  # with as little unfolded as can be: each change draws all anew
        seen.add(tag)
        if page.evaluate("document.activeElement.matches('details:has(#filters) > summary')"):
            page.keyboard.press("Enter")
        if tag == "INPUT":
            before = page.evaluate("document.activeElement.checked")
            page.keyboard.press("Space")
            assert page.evaluate("document.activeElement.checked") != before
            page.keyboard.press("Space")
    assert {"A", "INPUT", "BUTTON"} <= seen
    for tag in reached(80):
        if tag == "SUMMARY" and not page.evaluate("document.activeElement.parentElement.open"):
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.parentElement.open")
    assert page.query_selector("article.card details[open]")
    assert page.query_selector_all("[role=img]:not([aria-label])") == []


# What of the figures is not within the window, or the drawing.
BEYOND = """[...document.querySelectorAll('figure svg, figure svg text, .picture svg, .picture svg text, .picture circle')].filter(each => {
    const at = each.getBoundingClientRect(), within = each.closest('figure, .picture').getBoundingClientRect();
    return at.left < within.left - 1 || at.right > within.right + 1 || at.right > innerWidth; }).map(each => each.textContent)"""


def fits(page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BEYOND) == []


@browser_wanted
@pytest.mark.long
def test_real_names_fit_a_phone(opened, stored_page):
    page = opened(360, shown=stored_page("filewriter-bufferedwriter-jmh"))
    assert page.query_selector("#published .verdicts").bounding_box()["y"] < 400, (
        "the verdicts are the first thing to see"
    )
    fits(page, 360)
    unfold(page)
    fits(page, 360)
    broken = page.evaluate(
        "[...document.querySelectorAll('figure[data-kind=ranking] svg text')].map(each => each.querySelectorAll('tspan').length)"
    )
    assert broken.count(2) > 10 and max(broken) == 2, "long names stand in two lines"


@browser_wanted
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1400, "dark")])
def test_it_fits_phones_and_desks_in_light_and_dark(opened, width, scheme):
    page = opened(width, color_scheme=scheme)
    fits(page, width)
    unfold(page)
    fits(page, width)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3]))
    assert brightness > 600 if scheme == "light" else brightness < 150
    label = page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert (sum(map(int, re.findall(r"\d+", label)[:3])) > 400) == (scheme == "dark")


@browser_wanted
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_legends_of_strokes_are_seen_where_there_is_no_ceiling(opened, source, scheme):
    groups = tuple(replace(each, ceiling=None) for each in source.export.groups)
    page = opened(1400, page_of(Source(replace(source.export, groups=groups))), scheme)
    unfold(page, kind="[data-kind=blocks]")
    strokes = page.evaluate(
        """[...document.querySelectorAll('figure[data-kind=blocks] svg .role-legend-symbol path')].map(each => [each.getAttribute('fill'), each.getAttribute('stroke')])"""
    )
    dashes = [stroke for fill, stroke in strokes if fill in (None, "none", "transparent")]
    assert len(dashes) == 2 and set(dashes) == {"#8a8a8a"}, strokes


@browser_wanted
def test_on_paper_there_are_no_controls(opened, file):
    """What is folded is left out. Of what is unfolded but was not scrolled to, a table of the
    figure stands in for the drawing, if it is short: here of at most 20 rows.
    """
    page = opened(shown=file.read_text().replace("mostPrinted = 100", "mostPrinted = 20"))
    page.evaluate("""addEventListener('beforeprint', () => { window.printed = [...document.querySelectorAll('figure[data-kind]')].map(figure =>
        [figure.dataset.kind, figure.querySelector('.chart svg') ? 'drawing' : figure.dataset.printed, figure.querySelector('details.behind').open]); })""")
    unfold(page)
    undrawn = "figure[data-kind=schedule], figure[data-kind=samples]"
    page.eval_on_selector_all(
        undrawn, "all => all.forEach(each => { each.querySelector('.chart').textContent = ''; })"
    )
    assert page.pdf().startswith(b"%PDF")
    printed = {kind: (how, behind) for kind, how, behind in page.evaluate("window.printed")}
    assert printed["ranking"] == printed["blocks"] == ("drawing", False)
    assert printed["schedule"] == ("table", True) and printed["samples"] == ("nothing", False)
    assert page.query_selector_all("details.behind[open]") == [], "as it was"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not any(page.query_selector(each).is_visible() for each in ("#filters", "nav"))
    for figure in page.query_selector_all("figure"):
        assert not figure.is_visible() or any(
            each.is_visible() for each in figure.query_selector_all("svg, table")
        ), "no heading stands alone"


@browser_wanted
def test_on_paper_is_what_stands_on_the_first_screens(opened):
    page = opened()
    assert page.pdf().startswith(b"%PDF")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert all(
        each.is_visible() for each in page.query_selector_all(".card .says, .card table.dots")
    )
    assert not any(each.is_visible() for each in page.query_selector_all("figure, .more > summary"))


def test_samples_are_left_out_where_the_page_would_be_too_large(source, monkeypatch):
    monkeypatch.setattr(html, "MOST_BYTES", 1000)
    page = page_of(source)
    assert 'data-kind="samples"' not in page and "The samples are left out" in page
    monkeypatch.setattr(html, "_SAMPLES", (30,))
    page = page_of(source)
    assert "The first 10;" in page and "The samples are left out" not in page


def test_verdicts_are_told_by_runtime_where_they_differ(source):
    claim = dict.fromkeys(("why", "in_its_own_data", "in_its_own_data_because"))
    claim |= {"id": "c", "says": "A claim.", "verdict": "refuted", "because": "so"}
    differ = r"By runtime: fake-1 <span[^>]*>holds</span> fake-2 <span[^>]*>refuted</span>"
    for first in ("holds", "refuted"):
        found = contract.Claim(**claim, by_runtime={"fake-1": first, "fake-2": "refuted"})
        shown = page_of(Source(replace(source.export, claims=(found,))))
        assert bool(re.search(differ, shown)) == ("By runtime" in shown) == (first == "holds")


def test_the_page_is_small_and_asks_for_nothing(file, source):
    text = file.read_text()
    assert len(text.encode()) < 1 << 20
    assert source.sha256 in text and "@misc{iogauge-" in text and "--seed" in text
    markup = re.sub(r"<script.*?</script>|<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", markup)


@pytest.mark.parametrize("kind", ["blocks", "ranking", "sizes", "samples", "schedule"])
def test_pictures(source, kind):
    (figure, *_) = [each for each in figures.all_of(source.export, source.run) if each.kind == kind]
    drawn = vega.svg(figure).decode()
    assert drawn.startswith("<svg") and "<script" not in drawn and drawn.count("<path") > 3
    first_words = " ".join(figure.says.split()[:3])
    assert escape(first_words, quote=False) in drawn, "it says what a page says beside it"
    if kind == "ranking":  # the drawing is the same
        assert vega.png(figure).startswith(b"\x89PNG")


def test_what_is_faster_than_the_machine_stands_in_no_ranking(source):
    first, *groups = source.export.groups
    cheat = next(case for case in first.cases if case.measured)
    cases = tuple(replace(case, impossible=case is cheat) for case in first.cases)
    changed = replace(source.export, groups=(replace(first, cases=cases), *groups))
    (ranking, *_) = figures.rankings(changed)
    assert cheat.name not in {row["label"] for row in ranking.rows}
    assert len(ranking.rows) + 1 == len(next(figures.rankings(source.export)).rows)
    assert f"Left out, as faster than the machine: {cheat.name}." in ranking.says
    for figure in (*figures.over_size(changed), *figures.blocks(changed)):
        assert (first.id, cheat.name) not in {
            (row.get("group"), row["label"]) for row in figure.rows
        }


def test_charts_that_cannot_be_drawn_say_so(fake, tmp_path):
    path = measure(group(steady(20)), fake, tmp_path, seed=1).path
    for kind, number, name, says in (
        ("ranking", 1, "x.gif", "allowed: a name that ends in .svg or .png"),
        ("pie", 1, "x.svg", "--kind pie: unknown; allowed: blocks,"),
        ("published", 1, "x.svg", "it takes a run of a publication"),
        ("ranking", 2, "x.svg", "this run has 1 such chart"),
    ):
        with pytest.raises(UserError, match=re.escape(says)):
            looking.chart(arg.Chart(run=path, kind=kind, number=number, out=tmp_path / name))
    assert looking.chart(arg.Chart(run=path, out=tmp_path / "x.svg")) == 0


def test_a_run_is_on_the_page_once(fake, tmp_path, capsys):
    path, other = (
        measure(group(steady(20)), fake, tmp_path, seed=seed, name=str(seed)).path
        for seed in (1, 2)
    )
    copied = tmp_path / "copied.jsonl"
    copied.write_bytes(path.read_bytes())
    assert (
        looking.report(arg.Report(runs=[path, copied, other, path], out=tmp_path / "two.html")) == 0
    )
    page = (tmp_path / "two.html").read_text()
    assert page.count("@misc{") == 2 and all(
        hashlib.sha256(each.read_bytes()).hexdigest() in page for each in (path, other)
    )
    assert capsys.readouterr().err.count("the same run once more") == 2


RUN = contract.Run(id="r", protocol="sound", study="quick", seed=7)


def runtimes(*names: str, **more) -> tuple[contract.Runtime, ...]:
    return tuple(contract.Runtime(name=n, runner=n.partition("-")[0], **more) for n in names)


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        (  # no study of ours: a file
            {
                "study": "a b",
                "options": {"only": ["java/*", "x; rm -rf ~"], "budget": "2m"},
                "runtimes": runtimes("jvm-17.0.1"),
            },
            "run 'a b.toml' --only 'java/*' --only 'x; rm -rf ~' --budget 2m --seed 7",
        ),
        (
            {"runtimes": runtimes("go-1.26", "jvm-17.0.1", "jvm-25.0.3")},
            "run quick --runtime=jvm=/path/to/jvm-17.0.1 --runtime=jvm=/path/to/jvm-25.0.3 --seed 7",
        ),
        (
            {"runtimes": runtimes("jvm-25.0.3", "jvm-new", version="25.0.3")},
            "run quick --runtime=jvm=/path/to/jvm-25.0.3 --runtime=jvm:new=/path/to/jvm-new --seed 7",
        ),
        (
            {"options": {"advise": ["--file", "YOUR-FILE", "--unit", "line"]}},
            "advise --file YOUR-FILE --unit line --run",
        ),
        ({"options": {"file": ["YOUR-FILE", "--language", "go"]}}, "YOUR-FILE --language go"),
    ],
)
def test_the_command_to_repeat_a_run_is_quoted_for_a_shell(changes, command):
    assert html.again(replace(RUN, **changes)) == f"iogauge {command}"


def test_a_citation_is_text_in_tex_too(source):
    document = source.export.plain()
    document["runs"][0].update(title="50 % of R&D: a_b #1\n{\\input} ~^$", id="a_b{}")
    cited = html.citation(stored(document)).splitlines()
    assert cited[0] == "@misc{iogauge-a-b--," and cited[-1] == "}"
    assert cited[1].startswith(
        r"  title = {50 \% of R\&D: a\_b \#1 input \textasciitilde \textasciicircum \$ (fake-1.0; "
    )
    assert r"run a\_b}," in cited[2]
