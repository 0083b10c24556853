"""The lessons: complete, short, their commands work, and their outputs are those of their studies."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from iogauge.model.units import parse_duration
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs import contract
from iogauge.study import loading
from tests.scripts import module_at

ROOT = Path(__file__).parents[1]
LESSONS = ROOT / "docs" / "lessons"
LONGEST = 20.0  # seconds
NOT_YET = "```text\nnot measured yet: python docs/lessons/generate.py {}\n```"
"""What stands for the output of a page that nobody measured yet."""


generate = module_at(LESSONS / "generate.py")
endings = sys.modules["endings"]


def test_there_are_nine_and_the_index_has_them():
    names = [page.name for page in generate.pages()]
    assert [name[:3] for name in names] == [f"0{number}-" for number in range(1, 10)]
    index = (LESSONS / "README.md").read_text()
    assert all(f"]({name})" in index for name in names)
    assert "docs/lessons/README.md" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.stem)
def test_a_lesson_asks_first_and_shows_what_its_commands_printed(page):
    text, study, commands = page.read_text(), page.with_suffix(".toml"), generate.commands(page)
    parts = ("**Predict.**", "```sh", "```text", "**What it means.**")
    places = [text.index(each) for each in parts]
    assert places == sorted(places)
    assert text.count("```sh\n") == text.count("```text\n")
    of = loading.load(str(study))
    assert of.title == text.splitlines()[0].removeprefix("# ")
    measuring = [command for command in commands if command.startswith("iogauge run ")]
    assert measuring and of.budget <= LONGEST
    for command in measuring:
        assert str(study.relative_to(ROOT)) in command
        _, given, budget = command.rpartition("--budget ")
        assert not given or parse_duration(budget) <= LONGEST
    if NOT_YET.format(int(page.name[:2])) in text:
        return
    ended = re.findall(rf"^iogauge {of.id}(?:, as published)?: done in ", text, re.MULTILINE)
    assert len(ended) >= len(measuring), "each run's output is there"
    assert all(command in text[text.index("```text") :] for command in commands)
    as_published = {"--protocol published" in command for command in measuring}
    assert {protocol == "published" for protocol in of.protocols} <= as_published


def group(identifier: str, *cases: contract.Case, **more) -> contract.Group:
    given = {"id": identifier, "question": "Which?", "title": "read", "cases": cases, "knees": ()}
    given |= {"baseline": None, "suspended": False, "ceiling": None}
    return contract.Group(**given | more)


def case(label: str, ns: float, *, to: str | None = None, lo=None, hi=None):
    """`to`: the best of its group, to which lo and hi compare it; else they are of its time."""
    level = contract.Level(center=ns) if to else contract.Level(center=ns, lo=lo, hi=hi)
    compared = {"ratio": 2.0, "lo": lo, "hi": hi, "reference": to} if to else {}
    return contract.Case(
        key=label,
        label=label,
        strategy=label.partition(" ")[0],
        language=label.partition("/")[0],
        runtime="x-1",
        options=(),
        params={},
        workload=Workload(size=1 << 20),
        conditions=Conditions(cache="warm"),
        ns_per_op=level,
        bytes_per_s=contract.Level(),
        vs_best=contract.RatioToCase(**compared),
        **dict.fromkeys(("best", "eliminated", "impossible"), False),
        of_ceiling=None,
    )


def ended(lesson: str, *groups: contract.Group) -> str:
    run = contract.Run(id="run", study=lesson, title="A lesson", protocol="sound")
    return generate.ending(lesson, [contract.Export(runs=(run,), groups=groups)])


def test_a_lesson_has_a_picture_of_its_own_runs_where_it_is_declared(tmp_path):
    """Groups that ask the same are told apart by how their file came into the cache."""
    states = {"write-large": 4e5, "write-small": 1.5e6}
    groups = []
    for state, ns in states.items():
        cases = (case("go/mmap", ns), case("go/file-read 128K", 5e5))
        conditions = Conditions(cache="warm", cached_by=state)
        groups.append(group(state, *(replace(each, conditions=conditions) for each in cases)))
    run = contract.Run(id="run", study="lesson-9", title="A lesson", protocol="sound")
    exports = [contract.Export(runs=(run,), groups=tuple(groups))]
    page = tmp_path / "09-x.md"
    text = f"Output.\n\n{generate.MEANS} Nothing.\n"
    once = generate.pictured(text, page, "lesson-9", exports)
    says = endings.DECLARED["lesson-9"]["picture"]
    assert once == f"Output.\n\n![{says}](09-x.svg)\n\n{generate.MEANS} Nothing.\n"
    assert generate.pictured(once, page, "lesson-9", exports) == once
    drawn = (tmp_path / "09-x.svg").read_text()
    assert "Cached: written in large pieces" in drawn and "written in small pieces" in drawn
    assert drawn.count('class="here"') == 1 + 2 * len(states)  # one of the legend
    assert "1.50 ms" in drawn and "400 µs" in drawn
    assert generate.pictured(text, page, "lesson-1", exports) == text


def reading(name: str, lo: float, hi: float) -> contract.Group:
    best = "go/file-read 256K"
    return group(name, case(best, 1.0), case("go/file-read 4K", 2.0, to=best, lo=lo, hi=hi))


def test_a_lesson_ends_in_what_its_runs_show_and_says_so_where_they_do_not():
    shown = ended("lesson-1", reading("read-warm", 3.1, 3.4), reading("read-cold", 1.0, 1.2))
    assert shown == (
        "With the file in the cache, blocks of 4 KiB took 3.1-3.4x as long as blocks of 256 KiB; "
        "from the disk 1-1.2x. A benchmark that does not say which of the two it ran says little."
    )
    hidden = ended("lesson-1", reading("read-warm", 1.1, 3.4), reading("read-cold", 1.0, 1.2))
    assert hidden.endswith(endings.NOT_SHOWN) and "took over 1.1x as long" in hidden
    with pytest.raises(LookupError, match="group read-cold"):
        ended("lesson-1", reading("read-warm", 3.1, 3.4))


def test_the_same_code_is_apart_by_its_levels_as_published_and_by_its_bounds_soundly():
    def published(other: float) -> contract.Group:
        return group("one-after-the-other", case("go/file-read 64K", 1.0), case("x", other))

    across = contract.Across(key="x", ratio=1.0, lo=0.95, hi=1.02, reference="y")
    sound = group("interleaved", case("go/file-read 64K", 1.0), across_runtimes=(across,))
    shown = ended("lesson-2", published(0.5), sound)
    assert "came out about 2x apart" in shown and endings.NOT_SHOWN not in shown
    assert ended("lesson-2", published(1.04), sound).endswith(endings.NOT_SHOWN)


def test_across_groups_a_ratio_is_as_wide_as_both_intervals_allow():
    label = "go/file-write 4K"
    grows = group("grows", case(label, 100.0, lo=80.0, hi=120.0))
    new = group("new", case(label, 300.0, lo=240.0, hi=300.0))
    assert "took 2-3.8x as long" in ended("lesson-5", new, grows)
    near = group("new", case(label, 130.0, lo=110.0, hi=150.0))
    assert ended("lesson-5", near, grows).endswith(endings.NOT_SHOWN)


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.stem)
def test_what_a_lesson_ends_in_is_of_its_own_study(page):
    of = loading.load(str(page.with_suffix(".toml")))
    declared = endings.DECLARED[of.id]
    assert declared["says"].count("{") == len(declared["ratios"]) > 0 and declared["so"]
    strategies = {name for group in of.group for each in group.case for name in each.strategy}
    ids = tuple(group.id for group in of.group)
    for ratio in declared["ratios"]:
        for named in (ratio[each] for each in ("of", "to", "apart") if each in ratio):
            group, _, label = named.partition(": ")
            assert group.startswith(ids), named
            assert not label or label.partition(" ")[0] in strategies, named
    text = page.read_text()
    assert generate.SHOWS in text and generate.ENDING.search(text), "nothing stands behind it"


def test_a_page_keeps_its_words_when_it_is_measured_anew(tmp_path, snapshot):
    page = tmp_path / "01-x.md"
    first, second = "```sh\necho one\necho run file: /x\n```\n", "```sh\necho '  two '\n```\n"
    page.write_text(f"# X\n\n{first}\nBetween.\n\n{second}\n```text\nold\n```\n\nAfter.\n")
    once = generate.measured(page)
    assert once == snapshot
    page.write_text(once)
    assert generate.measured(page) == once
    page.write_text("```sh\nfalse\ntrue\n```\n")
    with pytest.raises(subprocess.CalledProcessError):
        generate.measured(page)
