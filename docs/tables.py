"""Write the tables that follow from the code into the pages that show them: `python docs/tables.py`
after a change of src/iogauge/model/figures.py.
"""

from __future__ import annotations

from pathlib import Path

from iogauge.model import figures

DOCS = Path(__file__).parent
TABLES = {"export-json.md": ("figures", figures.as_markdown())}
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
