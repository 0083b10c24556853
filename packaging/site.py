"""Builds the documents as a site, strictly: a warning of Zensical or a dead link ends it.

    make site                                         into build/site
    python packaging/site.py --out FOLDER             elsewhere

The pages are taken as they are, in the folders in which they are, so each link leads where it leads
in the repository.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
CONFIGURATION = Path(__file__).with_name("zensical.toml")
PAGES = ("*.md", "docs/**/*.md", "runners/*.md", "runners/*/*.md")
NO_PAGES = ("docs/studies/notes/",)  # parts of other pages
_LINK = re.compile(r"\]\(([^)#\s]+)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build/site")
    parser.add_argument("--url", default="", help="where the site will be found")
    given = parser.parse_args()
    out = given.out.absolute()
    if out != ROOT / "build/site" and not may_hold_site(out):
        print(f"--out {given.out}: holds what is no site; give an empty folder", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="iogauge-site-") as temporary:
        site = built(Path(temporary), given.url)
        dead = [] if site is None else list(dead_links(site))
        print(*dead, sep="\n", end="\n" if dead else "", file=sys.stderr)
        if site is None or dead:
            return 1
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(site, out)
    print(out)
    return 0


def may_hold_site(out: Path) -> bool:
    """Whether all of it may be removed: nothing is there, or a site."""
    return not out.exists() or (out.is_dir() and (not any(out.iterdir()) or is_site(out)))


def is_site(folder: Path) -> bool:
    return all((folder / each).is_file() for each in ("sitemap.xml", "404.html", "index.html"))


def built(folder: Path, url: str = "") -> Path | None:
    """The site, made in a folder of its own; none where Zensical warns, which it says itself."""
    names, others = put_pages(folder / "pages")
    text = CONFIGURATION.read_text(encoding="utf-8")
    listed = completed(tomllib.loads(text)["project"]["nav"], names)
    more = f"nav = {toml(listed)}\n" + (f"site_url = {toml(url)}\n" if url else "")
    made = re.sub(r"^nav = \[\n.*?^\]\n", lambda _: more, text, flags=re.S | re.M)
    (folder / "zensical.toml").write_text(made, encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        return None
    for name in others:  # Zensical takes some, and leaves some folders out
        put(folder / "site" / name, (ROOT / name).read_bytes())
    return folder / "site"


def put_pages(target: Path) -> tuple[list[str], set[str]]:
    """Copy the pages and the files that they link to. Returns the names of both."""
    found = {page.relative_to(ROOT).as_posix() for each in PAGES for page in ROOT.glob(each)}
    names = sorted(each for each in found if not each.startswith(NO_PAGES))
    others = set()
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        for link in _LINK.findall(text):
            linked = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
            if "://" not in link and linked not in names and (ROOT / linked).is_file():
                put(target / linked, (ROOT / linked).read_bytes())
                others.add(linked)
        # A site's Markdown wants to be told that there is some inside.
        put(target / name, text.replace("<details>", '<details markdown="1">').encode())
    if "docs/decisions/README.md" not in names:
        put(target / "docs/decisions/README.md", decisions(names).encode())
        names.append("docs/decisions/README.md")
    return names, others


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def decisions(names: list[str]) -> str:
    """The repository's host shows the folder; a site needs a page."""
    pages = [ROOT / each for each in names if each.startswith("docs/decisions/")]
    titles = {page.name: page.read_text("utf-8").partition("\n")[0].strip("# ") for page in pages}
    return "# Decisions\n\n" + "".join(f"- [{title}]({name})\n" for name, title in titles.items())


Nav = list[str | dict[str, "str | Nav"]]


def completed(nav: Nav, names: list[str]) -> Nav:
    """With the pages of folders, and what is named nowhere."""
    rest = [each for each in names if each not in named(nav)]

    def pages(folder: str) -> list[str]:
        inside = [each for each in rest if each.startswith(f"{folder}/")]
        return sorted(inside, key=lambda each: (each != f"{folder}/README.md", each))

    def whole(part: Nav) -> Nav:
        made: Nav = []
        for each in part:
            if isinstance(each, dict):
                ((title, inside),) = each.items()
                made.append({title: inside if isinstance(inside, str) else whole(inside)})
            else:
                made += pages(each[:-2]) if each.endswith("/*") else [each]
        return made

    listed = whole(nav)
    more = [each for each in names if each not in named(listed)]
    return [*listed, {"More": [*more]}] if more else listed


def named(nav: Nav) -> set[str]:
    parts = (part for each in nav for part in ([each] if isinstance(each, str) else each.values()))
    return set().union(*({part} if isinstance(part, str) else named(part) for part in parts))


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


class Links:
    """What a page refers to, and what in it can be referred to."""

    def __init__(self, text: str) -> None:
        tags = "\n".join(re.findall(r"<[a-z][^>]*>", text))
        found = re.findall(r"""\s(href|src|id|name)=(?:"([^"]*)"|([^\s"'>]+))""", tags)
        values = [(name, unescape(quoted or bare)) for name, quoted, bare in found]
        self.to = [value for name, value in values if name in ("href", "src") and value]
        self.anchors = {value for name, value in values if name in ("id", "name")}


def dead_links(site: Path) -> Iterator[str]:
    """Of the built pages: links, anchors, pictures, scripts and styles that are not there."""
    pages = {page: Links(page.read_text("utf-8")) for page in sorted(site.rglob("*.html"))}
    for page, links in pages.items():
        for link in links.to:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or page.name == "404.html":
                continue
            at = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            at = at / "index.html" if at.is_dir() else at
            there = at.is_file() and at.is_relative_to(site.resolve())
            known = pages[at].anchors if at in pages else None
            lost = parts.fragment and known is not None and unquote(parts.fragment) not in known
            if not there or lost:
                yield f"{page.relative_to(site)}: leads nowhere: {link}"


if __name__ == "__main__":
    sys.exit(main())
