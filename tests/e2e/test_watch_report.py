"""The web page of a watch, in a real Chromium: on a desk and on a phone, in light and in dark."""

from __future__ import annotations

import shutil

import pytest

from iogauge.outputs.html import watch
from iogauge.watching import watches
from tests import watch_records as records

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium; install it, e.g. apt-get install chromium"
)
NASTY = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>" + (
    "long" * 60
)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
        )
        yield opened
        opened.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page of a record; in the end nothing was asked of a network, and nothing was said."""
    said, asked = [], []
    windows = []

    def go(record, width=1200, color_scheme="light"):
        path = tmp_path / "page.html"
        path.write_text(watch.render(record))
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=color_scheme)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.partition(":")[0]))
        page.goto(path.as_uri())
        windows.append(page)
        return page

    yield go
    for page in windows:
        assert page.evaluate("window.hacked") is None
        page.close()
    assert said == [] and set(asked) <= {"file", "data"}


NASTY_FINDING = records.SMALL_READS.model_copy(update={"file": NASTY})
SHOWN = {
    "golden": watches.read(records.GOLDEN),
    **records.EXAMPLES,
    "hostile": records.several.model_copy(
        update={"name": NASTY, "findings": (NASTY_FINDING,), "left": (NASTY,)}
    ),
}


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("name", SHOWN)
def test_nothing_is_wider_than_the_window(opened, name, width, color_scheme):
    page = opened(SHOWN[name], width, color_scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    grounds = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (grounds == "rgb(255, 255, 255)") == (color_scheme == "light")


def box(page, selector):
    return page.query_selector(selector).bounding_box()


def test_the_pictures_stand_beside_the_answer_and_on_a_phone_below_it(opened):
    page = opened(SHOWN["golden"])
    answer, pictures = box(page, ".savings"), box(page, ".over-time")
    assert pictures["x"] > answer["x"] + answer["width"]
    assert abs(pictures["y"] - answer["y"]) < 20
    phone = opened(SHOWN["golden"], 390)
    answer, pictures = box(phone, ".savings"), box(phone, ".over-time")
    assert pictures["y"] > answer["y"] + answer["height"]


@pytest.mark.parametrize("width", [390, 1200])
def test_the_labels_of_the_axis_are_apart_and_inside(opened, width):
    page = opened(SHOWN["golden"], width)
    places = [each.bounding_box() for each in page.query_selector_all(".axis span")]
    assert len(places) >= 3
    for one, other in zip(places, places[1:], strict=False):
        assert other["x"] > one["x"] + one["width"]
    assert places[-1]["x"] + places[-1]["width"] <= width


def test_a_saving_leads_to_its_finding(opened):
    page = opened(SHOWN["golden"], 390)
    page.click(".savings a >> nth=1")
    assert page.evaluate("document.querySelector(':target').textContent").count("journal") >= 2
