"""The lessons: complete, short, their commands work, and their outputs are those of their studies."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from iogauge.model.units import parse_duration
from iogauge.study import loading
from tests.scripts import module_at

ROOT = Path(__file__).parents[1]
LESSONS = ROOT / "docs" / "lessons"
LONGEST = 20.0  # seconds


generate = module_at(LESSONS / "generate.py")


def test_there_are_eight_and_the_index_has_them():
    names = [page.name for page in generate.pages()]
    assert [name[:3] for name in names] == [f"0{number}-" for number in range(1, 9)]
    index = (LESSONS / "README.md").read_text()
    assert all(f"]({name})" in index for name in names)
    assert "docs/lessons/README.md" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.stem)
def test_a_lesson_asks_first_and_shows_what_its_commands_printed(page):
    text = page.read_text()
    assert (
        text.index("**Predict.**")
        < text.index("```sh")
        < text.index("```text")
        < text.index("**What it means.**")
    )
    assert text.count("```sh\n") == text.count("```text\n")
    of = loading.load(str(page.with_suffix(".toml")))
    assert of.title == text.splitlines()[0].removeprefix("# ")
    measuring = [
        command for command in generate.commands(page) if command.startswith("iogauge run ")
    ]
    assert measuring and all(
        str(page.with_suffix(".toml").relative_to(ROOT)) in command for command in measuring
    )
    assert of.budget <= LONGEST and all(
        "--budget" not in command or parse_duration(command.rpartition("--budget ")[2]) <= LONGEST
        for command in measuring
    )
    assert len(re.findall(rf"^{of.id}(?:, as published)?  ", text, re.MULTILINE)) >= len(
        measuring
    ), "each run's output is there"
    assert all(command in text[text.index("```text") :] for command in generate.commands(page))
    for protocol in of.protocols:
        assert any(
            ("--protocol published" in command) == (protocol == "published")
            for command in measuring
        )


def test_a_page_keeps_its_words_when_it_is_measured_anew(tmp_path):
    page = tmp_path / "01-x.md"
    page.write_text(
        "# X\n\n```sh\necho one\necho run file: /x\n```\n\nBetween.\n\n```sh\necho '  two '\n```\n\n```text\nold\n```\n\nAfter.\n"
    )
    once = generate.measured(page)
    assert (
        once
        == "# X\n\n```sh\necho one\necho run file: /x\n```\n\n```text\n$ echo one\none\n\n$ echo run file: /x\n```\n\nBetween.\n\n```sh\necho '  two '\n```\n\n```text\n$ echo '  two '\n  two\n```\n\nAfter.\n"
    )
    page.write_text(once)
    assert generate.measured(page) == once
    page.write_text("```sh\nfalse\ntrue\n```\n")
    with pytest.raises(subprocess.CalledProcessError):
        generate.measured(page)
