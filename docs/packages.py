"""Draws packages.svg, the picture of docs/architecture.md.

    python docs/packages.py

Coloured boxes are packages; grey ones are files and processes outside of the program.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
WIDTH, HEIGHT = 980, 476
STYLE = """
  .page { fill: #ffffff } text { fill: #1f2328; font: 15px sans-serif; text-anchor: middle }
  .package { fill: #dbeafe; stroke: #1d4ed8; stroke-width: 2 } .thing { fill: #f3f4f6; stroke: #6b7280 }
  .base { fill: #dcfce7; stroke: #15803d; stroke-width: 2 } .name { font-weight: bold }
  .says { font-size: 12px } .arrow { stroke: #4b5563; stroke-width: 1.5; fill: none } .head { fill: #4b5563 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .package { fill: #172554; stroke: #60a5fa }
    .thing { fill: #1f2937; stroke: #9ca3af } .base { fill: #052e16; stroke: #4ade80 }
    .arrow { stroke: #9ca3af } .head { fill: #9ca3af }
  }
"""


class Box(NamedTuple):
    """`kind` is its class in STYLE. x and y are the upper left corner."""

    x: int
    y: int
    width: int
    name: str
    says: str
    kind: str = "package"

    @property
    def middle(self) -> int:
        return self.x + self.width // 2


TALL = 56  # height of a box
TOP, BOTTOM, BELOW, FLOOR = 100, 288, 194, 382  # upper edges of the rows
BOXES = {
    box.name: box
    for box in (
        Box(20, 20, 550, "commands", "the command line calls each stage"),
        Box(590, 20, 150, "fleet", "one plan, many hosts"),
        Box(760, 20, 200, "api", "Python, notebooks, pytest"),
        Box(20, TOP, 130, "study.toml", "questions", "thing"),
        Box(200, TOP, 150, "study", "validated questions"),
        Box(400, TOP, 150, "planning", "all cases, and a seed"),
        Box(600, TOP, 150, "measuring", "carries it out"),
        Box(800, TOP, 160, "runner processes", "forks", "thing"),
        Box(20, BELOW, 100, "host", "this machine"),
        Box(145, BELOW, 130, "watching", "a running program"),
        Box(295, BELOW, 105, "sources", "your functions"),
        Box(420, BELOW, 110, "runners", "find, build, talk"),
        Box(545, BELOW, 75, "corpus", "data files"),
        Box(635, BELOW, 150, "decision", "what to use, when"),
        Box(800, BELOW, 160, "runfile", "records, JSON lines"),
        Box(20, BOTTOM, 150, "terminal, page", "JSON, CSV, pictures", "thing"),
        Box(220, BOTTOM, 140, "outputs", "document, render"),
        Box(410, BOTTOM, 140, "advice", "reasons, code to copy"),
        Box(600, BOTTOM, 150, "claims", "verdicts"),
        Box(800, BOTTOM, 160, "analysis", "comparisons, report"),
        Box(20, FLOOR, 360, "model", "types; how quantities become text", "base"),
        Box(400, FLOOR, 350, "statistics", "intervals, change points", "base"),
        Box(800, FLOOR, 160, "history", "many runs"),
    )
}
# From one box to another; the sides follow from where they lie.
ARROWS = (
    ("study.toml", "study"),
    ("study", "planning"),
    ("planning", "measuring"),
    ("fleet", "measuring"),
    ("measuring", "runner processes"),
    ("host", "measuring"),
    ("host", "watching"),
    ("watching", "outputs"),
    ("sources", "runners"),
    ("decision", "measuring"),
    ("analysis", "decision"),
    ("runners", "measuring"),
    ("corpus", "measuring"),
    ("runners", "planning"),
    ("measuring", "runfile"),
    ("runfile", "analysis"),
    ("analysis", "claims"),
    ("claims", "advice"),
    ("advice", "outputs"),
    ("analysis", "history"),
    ("history", "outputs"),
    ("outputs", "terminal, page"),
)


def drawn() -> str:
    """The whole picture as SVG."""
    shapes = [f'<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="8"/>']
    shapes += [_arrow(BOXES[one], BOXES[other]) for one, other in ARROWS]
    shapes += [_box(each) for each in BOXES.values()]
    shapes.append(
        f'<text class="says" x="{WIDTH // 2}" y="{HEIGHT - 16}">'
        "Blue: stages, in the order in which data flows. Green: tools that the stages use. "
        "Grey: outside of the program.</text>"
    )
    head = (
        '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto"><path class="head" d="M0 0L10 5L0 10z"/></marker>'
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            "<title>The packages of iogauge, and how data flows through them</title>",
            f"<style>{STYLE}</style>",
            f"<defs>{head}</defs>",
            *shapes,
            "</svg>\n",
        ]
    )


def _box(box: Box) -> str:
    return (
        f'<rect class="{box.kind}" x="{box.x}" y="{box.y}" width="{box.width}" height="{TALL}" rx="6"/>'
        f'<text class="name" x="{box.middle}" y="{box.y + 24}">{escape(box.name)}</text>'
        f'<text class="says" x="{box.middle}" y="{box.y + 43}">{escape(box.says)}</text>'
    )


def _arrow(one: Box, other: Box) -> str:
    if one.y == other.y:
        y, right = one.y + TALL // 2, one.x < other.x
        start = (one.x + one.width * right, y)
        end = (other.x + other.width * (not right), y)
    else:
        down = one.y < other.y
        start, end = (one.middle, one.y + TALL * down), (other.middle, other.y + TALL * (not down))
    (x, y), (to_x, to_y) = start, end
    return f'<path class="arrow" marker-end="url(#head)" d="M{x} {y}L{to_x} {to_y}"/>'


if __name__ == "__main__":
    (HERE / "packages.svg").write_text(drawn())
