"""Study files: what is read, and what is wrong with others."""

import pytest

from iogauge.model.errors import UserError
from iogauge.study import loading
from iogauge.study.schema import Cases, GroupTable, Study

GOOD = """
id = "good"
title = "A good study"

[[group]]
id = "one"
question = "Which?"
size = ["1K", "2K"]
cache = ["warm", "cold"]

[[group.case]]
strategy = "java/file-input-stream"
parameters = { block = ["8K", 4096] }
"""


def test_a_study_is_read():
    parsed = loading.parse(GOOD, "good.toml")
    (group,) = parsed.group
    assert group.size == [1024, 2048]
    assert group.cache == ["warm", "cold"]
    assert group.case[0].parameters == {"block": [8192, 4096]}
    assert parsed.source_text == GOOD


WRONG = {
    "title =": ["titel ="],
    'size = ["1K", "2K"]': ['sise = "1K"'],
    "strategy =": ["stratgy ="],
    'question = "Which?"': ["", 'question = "Which?"\nrounds = 5'],
    '"2K"]': ['"2X"]', '"17T"]', "-1]"],
    '"cold"]': ['"tepid"]'],
    'id = "one"': ['id = "One!"'],
    'title = "A good study"': [
        f'title = "A good study"\n{more}'
        for more in ('budget = "soon"', 'precision = "300%"', 'source_text = "x"')
    ],
    'block = ["8K", 4096]': ['block = ["all", 4096]'],
}
"""What a study has, and what it could have in the place of that."""


def test_what_is_wrong_is_said_in_one_line(snapshot):
    said = {}
    for old, new in ((old, new) for old, some in WRONG.items() for new in some):
        assert old in GOOD
        with pytest.raises(UserError) as error:
            loading.parse(GOOD.replace(old, new), "good.toml")
        said[f"{old} -> {new}"] = str(error.value)
        assert "\n" not in str(error.value)
    assert said == snapshot
    with pytest.raises(UserError, match=r"^good.toml: not TOML: .*; docs/study-format.md"):
        loading.parse(GOOD.replace("[[group.case]]", "[[group.case]"), "good.toml")


def test_a_study_that_was_made_here_has_a_text_that_says_the_same():
    for each in loading.built_in():
        made = each.model_copy(update={"source_text": ""})
        again = loading.parse(made.text, "made")
        assert again.text == made.text and again.model_copy(update={"source_text": ""}) == made
    table = {"strategy": 'a "b"\\', "parameters": {"a": [1, "size"]}}
    asked = GroupTable(id="g", question="wie, ä?", size=[0], case=[Cases(**table)])
    made = Study(id="made", title="", group=[asked], budget=0.5e3)
    assert loading.parse(made.text, "made").group == [asked]


def test_two_groups_need_two_names():
    with pytest.raises(UserError, match="two groups have the id 'one'"):
        loading.parse(GOOD + GOOD[GOOD.index("[[group]]") :], "good.toml")


def test_unknown_studies_and_files(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe\x00")
    for name, says in (
        ("quik", r"no study 'quik'; did you mean quick\?; built in: .*quick"),
        (tmp_path / "absent.toml", "absent.toml: No such file"),
        (bad, "not a text file in UTF-8"),
    ):
        with pytest.raises(UserError, match=says):
            loading.load(str(name))


def test_built_in_studies_are_valid_and_called_like_their_files():
    names = {each.id for each in loading.built_in()}
    assert {"quick", "java-read-eleven-ways", "go-read-four-ways"} <= names
    assert names == loading.built_in_ids() == {loading.load(each).id for each in names}
