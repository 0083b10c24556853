"""Write the tables that follow from the code into the pages that show them: `python docs/tables.py`
after a change of src/iogauge/model/figures.py or of a runner's catalogue.
"""

from __future__ import annotations

from pathlib import Path

from iogauge.model import figures
from iogauge.model.strategy import Strategy
from iogauge.model.units import short_size
from iogauge.runners import catalogue, manifest

DOCS = Path(__file__).parent


def strategies() -> str:
    """A table per language of what can be measured, without compute-only variants and ceilings."""
    by_language: dict[str, list[Strategy]] = {}
    for path in sorted(DOCS.parent.glob(f"runners/*/{catalogue.NAME}")):
        for each in catalogue.read(manifest.load(path.parent)).strategies:
            if each.role in ("contestant", "published"):
                by_language.setdefault(each.language, []).append(each)
    lines = []
    for language, found in sorted(by_language.items()):
        lines += ["", f"## {manifest.name_of(language)}", ""]
        lines += [
            "| name | what it is | does | unit | how | effort | in a study | parameters |",
            "|---|---|---|---|---|---|---|---|",
        ]
        lines += [_row(each) for each in sorted(found, key=_does)]
    return "\n".join(lines[1:])


def _row(strategy: Strategy) -> str:
    parameters = ", ".join(
        f"{name} = {short_size(each.default)}" for name, each in strategy.parameters.items()
    )
    return (
        f"| `{strategy.call}` | {strategy.title} | {_does(strategy)} | {strategy.unit} "
        f"| {', '.join(strategy.handling)} | {strategy.effort} | `{strategy.name}` "
        f"| {parameters} |"
    )


_FILES = {"gzip": "a gzip file", "json-lines": "JSON lines"}


def _does(strategy: Strategy) -> str:
    file = _FILES.get(strategy.format, "a file")
    where = "in memory" if strategy.medium == "memory" else file
    at = " at random offsets" if strategy.access == "random" else ""
    return f"{strategy.operation} {where}{at}"


TABLES = {
    "export-json.md": ("figures", figures.as_markdown()),
    "strategies.md": ("strategies", strategies()),
}
"""By page: the name between its markers, and the table that belongs there."""


def written(page: str, name: str, table: str) -> str:
    """The page with this table between its markers. Raises ValueError where it has none."""
    begin, end = f"<!-- {name}: written by docs/tables.py -->\n", f"\n<!-- end of {name} -->"
    start = page.index(begin) + len(begin)
    return page[:start] + table + page[page.index(end, start) :]


if __name__ == "__main__":
    for file, (name, table) in TABLES.items():
        path = DOCS / file
        path.write_text(written(path.read_text(), name, table))
