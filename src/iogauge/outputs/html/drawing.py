"""What all drawings share, whoever draws them: colours, a logarithmic scale with its ticks, the
templates, and what people call a language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources

import jinja2

from iogauge.model.strategy import set_name
from iogauge.outputs.contract import Export, Set

GREY = "#8a8a8a"
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    *("#b8860b", "#9a63c4", "#c23b3b", "#5d8f2e"),
)  # told apart with any eyes; a contrast of 3 at least on light and on dark
MORE_COLOURS = (
    *COLOURS,
    *("#e03e70", "#4573c4", "#a5695b", "#00929c"),
)  # where a table stands behind many lines

LIGHT = {
    "ground": "#ffffff",
    "ink": "#1a1c20",
    "quiet": "#5a6068",
    "line": "#d4d8de",
    "raised": "#f5f6f8",
    "mark": "#8a5a00",
    "good": "#1a7f37",
    "bad": "#b42318",
    "fast": "#d5efdc",
    "warm": "#f3c9b5",
    "grey": GREY,
}
DARK = LIGHT | {
    "ground": "#14161a",
    "ink": "#e8eaed",
    "quiet": "#a3abb5",
    "line": "#3a4048",
    "raised": "#1d2026",
    "mark": "#e3b341",
    "good": "#57c26f",
    "bad": "#ff8a80",
    "fast": "#1d4a2c",
    "warm": "#6a2f1c",
}


def theme(*names: str) -> str:
    """These colours as CSS variables (all without a name), and those of the series."""
    light, dark = (
        " ".join(f"--{name}: {each[name]};" for name in names or LIGHT) for each in (LIGHT, DARK)
    )
    series = " ".join(
        f".series-{number} {{ --series: {colour}; }}" for number, colour in enumerate(COLOURS)
    )
    return (
        f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        + ("" if names else f"{series}\n")
    )


def part(name: str) -> str:
    """A file beside this module."""
    return (resources.files(__package__) / name).read_text("utf-8")


def templates() -> jinja2.Environment:
    """What is put into them is text: HTML is escaped."""
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def called(exports: Iterable[Export]) -> Callable[[Set], str]:
    """What people call a set of these exports."""
    runtimes = (runtime for each in exports for runtime in each.run.runtimes)
    names = {key: name for each in runtimes for key, name in each.language_names.items()}
    return lambda of: set_name(of.language, of.setting, names)


@dataclass(frozen=True)
class LogScale:
    """Values from `least` to `most` on a line from `start` to `end`, which may run backwards."""

    least: float
    most: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Where a value is; what is beyond the scale is at its end."""
        if self.most == self.least:
            return self.start
        within = min(max(value, self.least), self.most)
        share = math.log(within / self.least) / math.log(self.most / self.least)
        return round(self.start + (self.end - self.start) * share, 1)

    def ticks(self, candidates: Iterable[float], apart: float) -> list[float]:
        """Those that are on the scale, and so far apart from all before them; in their order."""
        kept: list[float] = []
        for each in candidates:
            places = (abs(self.place(each) - self.place(other)) for other in kept)
            if self.least <= each <= self.most and all(place >= apart for place in places):
                kept.append(each)
        return kept
