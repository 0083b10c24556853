import pytest

from iogauge.model.errors import UserError
from iogauge.study import loading

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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "title =",
            "titel =",
            "good.toml: titel: unknown key; did you mean title? allowed: id, title, about, ",
        ),
        (
            'size = ["1K", "2K"]',
            'sise = "1K"',
            "good.toml: group[0].sise: unknown key; did you mean size? allowed: id, question, protocol, ",
        ),
        (
            "strategy =",
            "stratgy =",
            "good.toml: group[0].case[0].stratgy: unknown key; did you mean strategy? allowed: strategy, parameters, each, options, runtime (and 1 more)",
        ),
        ('question = "Which?"', "", "good.toml: group[0].question: this key is missing"),
        (
            '"2K"]',
            '"2X"]',
            "good.toml: group[0].size[1]: '2X' is not a size: write bytes, or 8K, 16M, 2G (powers of 1024)",
        ),
        (
            '"2K"]',
            '"17T"]',
            "good.toml: group[0].size[1]: impossible size: a file has at most 17592186044416 bytes (16 TiB)",
        ),
        ('"2K"]', "-1]", "good.toml: group[0].size[1]: -1 is not a size: it is negative"),
        (
            '"cold"]',
            '"tepid"]',
            "good.toml: group[0].cache[1]: 'tepid' is not allowed; allowed: 'warm', 'cold' or 'as-left'",
        ),
        (
            'id = "one"',
            'id = "One!"',
            "good.toml: group[0].id: 'One!' is not allowed: lower-case words joined by '-'",
        ),
        (
            'question = "Which?"',
            'question = "Which?"\nrounds = 5',
            "good.toml: group[0].rounds: unknown key; allowed: id, question, protocol, operations, to_the_end, compare, along, each, operation, ",
        ),
        (
            'title = "A good study"',
            'title = "A good study"\nbudget = "soon"',
            "good.toml: budget: 'soon' is not a duration: write 90s, 2m or 1h",
        ),
        (
            'title = "A good study"',
            'title = "A good study"\nprecision = "300%"',
            "good.toml: precision: '300%' is not a share: it must lie between 0 and 100%",
        ),
        (
            'title = "A good study"',
            'title = "A good study"\nsource_text = "x"',
            "good.toml: source_text: unknown key",
        ),
        (
            'block = ["8K", 4096]',
            'block = ["all", 4096]',
            "good.toml: group[0].case[0].parameters.block[0]: 'all' is not a size: write bytes, or"
            ' 8K, 16M, 2G (powers of 1024); "size" stands for the size of the file',
        ),
        ("[[group.case]]", "[[group.case]", "good.toml: not TOML: "),
    ],
)
def test_what_is_wrong_is_said_in_one_line(old, new, message):
    assert old in GOOD
    with pytest.raises(UserError) as error:
        loading.parse(GOOD.replace(old, new), "good.toml")
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_two_groups_need_two_names():
    with pytest.raises(UserError, match="two groups have the id 'one'"):
        loading.parse(GOOD + GOOD[GOOD.index("[[group]]") :], "good.toml")


def test_unknown_studies_and_files(tmp_path):
    with pytest.raises(
        UserError, match=r"no study 'quik'; did you mean quick\?; built in: .*quick"
    ):
        loading.load("quik")
    with pytest.raises(UserError, match="absent.toml: No such file"):
        loading.load(str(tmp_path / "absent.toml"))
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not a text file in UTF-8"):
        loading.load(str(bad))


def test_built_in_studies_are_valid_and_called_like_their_files():
    assert (
        {"quick", "java-read-eleven-ways", "go-read-four-ways"}
        <= {each.id for each in loading.built_in()}
        == loading.built_in_ids()
    )
    for each in loading.built_in():
        assert loading.load(each.id).id == each.id
