"""The documents as a site: built strictly, and each link, anchor and picture is there."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.scripts import module_at

ROOT = Path(__file__).parents[1]
TAGS = "h1 h2 h3 h4 ul ol li table tr td th pre code img blockquote strong em"


@pytest.fixture(scope="module")
def script():
    return module_at(ROOT / "packaging" / "site.py")


@pytest.fixture(scope="module")
def site(script, tmp_path_factory):
    made = script.built(tmp_path_factory.mktemp("site"), "https://example.invalid/iogauge/")
    assert made
    return made


def test_the_site_has_every_page_and_no_dead_link(site, script):
    assert list(script.dead_links(site)) == []
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md")]
    for each in documents:
        place = each.relative_to(ROOT).with_suffix("")
        assert (site / place / "index.html").is_file() or each.name == "README.md", each
    assert (site / "index.html").is_file()


def test_a_folder_with_anything_else_is_not_removed(script, tmp_path, monkeypatch, capsys):
    (tmp_path / "thesis.txt").write_text("years of work")
    monkeypatch.setattr("sys.argv", ["site.py", "--out", str(tmp_path)])
    assert script.main() == 2 and "holds what is no site" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").exists()


def test_a_site_may_take_the_place_of_an_older_one(site, script, tmp_path):
    assert script.may_hold_site(site) and script.may_hold_site(tmp_path / "new")


class Shape(HTMLParser):
    """How often each tag occurs; of a page of the site, in its article."""

    def __init__(self, text: str, article: bool = False) -> None:
        super().__init__()
        self.counts, self.inside = dict.fromkeys(TAGS.split(), 0), not article
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = self.inside or tag == "article"
        if self.inside and tag in self.counts:
            self.counts[tag] += 1

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "article"


@pytest.mark.long
def test_a_page_has_the_lists_tables_and_code_that_the_host_shows(site):
    """Markdown has dialects; what CommonMark takes for a list must be one on the site, too."""
    common = MarkdownIt("commonmark").enable("table")
    compared = 0
    for page in sorted(site.rglob("index.html")):
        place = page.parent.relative_to(site)
        names = (ROOT / place / "README.md", ROOT / place.parent / f"{place.name}.md")
        source = next((each for each in names if each.is_file()), None)
        if source:
            said = Shape(common.render(source.read_text("utf-8"))).counts
            assert Shape(page.read_text("utf-8"), article=True).counts == said, source
            compared += 1
    assert compared > 80


def test_nothing_comes_from_elsewhere_and_the_site_can_be_searched_and_darkened(site):
    page = (site / "docs/install/index.html").read_text("utf-8")
    assert not re.findall(
        r"<(?:script|link|img)[^>]+(?:src|href)=\"?(?:https?:)?//(?!example)", page
    )
    assert 'data-md-color-scheme="slate"' in page or "data-md-color-scheme=slate" in page
    found = json.loads((site / "search.json").read_text("utf-8"))
    assert "page cache" in json.dumps(found)
    assert "https://example.invalid/iogauge/docs/install/" in (site / "sitemap.xml").read_text()


def test_dead_links_are_found(script, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/index.html").write_text('<h2 id="here">x</h2>', "utf-8")
    links = ["a/", "a/#here", "a/#gone", "b/", "#top", "https://example.invalid/", "../out.html"]
    body = "".join(f'<a href="{each}">x</a>' for each in links) + '<img src="no.svg"><p id="top">'
    (tmp_path / "index.html").write_text(body, "utf-8")
    (tmp_path.parent / "out.html").write_text("", "utf-8")
    dead = [each.rpartition(" ")[2] for each in script.dead_links(tmp_path)]
    assert dead == ["a/#gone", "b/", "../out.html", "no.svg"]


def test_pages_of_a_folder_and_those_named_nowhere_get_into_the_navigation(script):
    names = ["README.md", "docs/a.md", "docs/new.md", "docs/d/2.md", "docs/d/README.md"]
    nav = ["README.md", {"D": ["docs/d/*"]}, {"A": "docs/a.md"}]
    whole = script.completed(nav, names)
    assert whole[1] == {"D": ["docs/d/README.md", "docs/d/2.md"]}
    assert whole[3] == {"More": ["docs/new.md"]}
    assert script.named(whole) == {*names}
    assert script.toml({'a "b"': ["c"]}) == '{ "a \\"b\\"" = ["c"] }'


@pytest.mark.long
def test_a_link_between_documents_that_leads_nowhere_ends_the_build(script, tmp_path, monkeypatch):
    (tmp_path / "root/docs").mkdir(parents=True)
    (tmp_path / "root/README.md").write_text("# A\n\n[b](docs/b.md)\n", "utf-8")
    monkeypatch.setattr(script, "ROOT", tmp_path / "root")
    assert script.built(tmp_path / "built") is None
