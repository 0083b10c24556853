"""What to change on the command line of well-known programs."""

from __future__ import annotations

from importlib import resources

import pytest

from iogauge.model.errors import UserError
from iogauge.watching import programs

ROW = """
[[program]]
names = ["tool"]
change = [{ kinds = ["small-reads"], text = "read more: -b", code = "tool -b 1" }]
"""


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("dd", "small-reads", "dd bs=128K …"),
        ("tar", "small-writes", "tar -b256 …"),
        ("sqlite3", "synced", "begin; … commit;"),
        ("bash", "lines-by-shell", "awk '{ … }' FILE"),
        ("dash", "opened-again", "while …; do …; done >> FILE"),
    ],
)
def test_an_option_is_known(name, kind, code):
    assert programs.change(name, kind).code == code


@pytest.mark.parametrize("name", ["cat", "sort", "gzip", "wc", "grep", "md5sum", "cp", "xz", "od"])
def test_some_have_no_option(name):
    assert programs.change(name, "small-reads") == programs.NOTHING


def test_of_a_known_program_the_rest_cannot_be_changed():
    assert programs.change("tar", "synced") == programs.NOTHING


def test_of_other_programs_nothing_is_known():
    assert programs.change("my-program", "small-reads") is None


def test_every_text_fits_on_a_line():
    text = (resources.files("iogauge.watching") / "programs.toml").read_text("utf-8")
    for changes in programs.parse(text, "programs.toml").values():
        assert all(len(each.text) <= 80 and each.code for each in changes.values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ROW * 2, "tool is named twice"),
        (ROW.replace("small-reads", "slow"), "program.0.change.0.kinds.0"),
        (ROW + 'color = "red"', "program.0.color: Extra inputs"),
        (ROW.replace('["tool"]', "[]"), "program.0.names"),
        ("[[program", "not TOML"),
    ],
)
def test_a_mistake_is_told_in_one_line(text, says):
    with pytest.raises(UserError) as told:
        programs.parse(text, "programs.toml")
    assert says in str(told.value) and "\n" not in str(told.value)
    assert str(told.value).startswith("programs.toml: ")
