"""What cannot be seen is shown: nothing of others moves a cursor, colours a terminal or turns the
direction of reading.
"""

from __future__ import annotations

import io
import json

import pytest

from iogauge.model import text
from iogauge.model.errors import UserError
from iogauge.runfile import reading
from iogauge.runfile.records import Caveat
from iogauge.runfile.writing import Writer
from iogauge.runners import wire
from iogauge.runners.wire import Refusal, WireError
from iogauge.study import loading
from tests.fake_study import HEAD, group, steady
from tests.runs import empty_run

HIDDEN = ["\n", "\t", "\ud800", "\x1b[31m", "\x07", "\r", "\x9b"]
HIDDEN += ["\u202e", "\u2066", "\u200f", "\ufeff", "\u2028", "\u061c"]


@pytest.mark.parametrize("character", HIDDEN)
def test_hidden_characters_are_shown_as_escapes(character):
    shown = text.visible(f"a{character}b")
    assert shown == f"a\\u{ord(character[0]):04x}{character[1:]}b"
    assert text.visible(shown) == shown


@pytest.mark.parametrize("character", HIDDEN)
@pytest.mark.parametrize("escaped", [True, False])
def test_json_is_searched_as_it_is_written(character, escaped):
    if not escaped and "\ud800" <= character <= "\udfff":
        return  # cannot be written so
    value = {"a": [{"b": f"x{character}", "n": 1, f"k{character}": None}]}
    found = text.all_visible(json.dumps(value, ensure_ascii=escaped).encode(), value)
    value, key = text.visible(f"x{character}"), text.visible(f"k{character}")
    assert found == {"a": [{"b": value, "n": 1, key: None}]}


def test_other_text_stays_as_it_is():
    value = {"title": "größer, 漢字, עברית, <script> \\ \"'"}
    for escaped in (True, False):
        assert text.all_visible(json.dumps(value, ensure_ascii=escaped).encode(), value) is value


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_end_between_words_on_a_terminal_and_nowhere_else(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    said = "a-study.toml: group[0].case[0].strategy: unknown strategy 'fake/stedy'; allowed: fake/steady\niogauge run --resume /a/path/that/is/longer/than/the/terminal.jsonl"
    assert text.for_stream(said, io.StringIO()) == said
    *lines, command = text.for_stream(said, Terminal()).splitlines()
    assert command == said.splitlines()[1], "to be copied"
    assert max(map(len, lines)) <= 40
    assert " ".join(line.strip() for line in lines) == said.splitlines()[0]


@pytest.mark.parametrize("character", ["\\u001b", "\\u202e", "\u202e", "\\n"])
def test_a_study_may_not_hide_anything(character):
    hidden = 'question = "Which', f'question = "Which{character}'
    source = (HEAD + group(steady(10))).replace(*hidden)
    says = r"s\.toml: group\[0\]\.question: the character \\u[0-9a-f]{4} cannot be shown"
    with pytest.raises(UserError, match=says):
        loading.parse(source, "s.toml")


def test_what_a_study_is_about_may_have_lines():
    text_ = 'about = """\nIt is about\nthis.\n"""\n'
    assert loading.parse(text_ + HEAD + group(steady(10)), "s.toml").about == "It is about\nthis.\n"


def test_a_runner_cannot_send_it_nor_what_python_would_take_for_another_encoding():
    with pytest.raises(Refusal, match=r"no\\u001b\[2J"):
        wire.decode("open", b'{"error": "no\\u001b[2J"}')
    line = json.dumps({"error": "\x1b[2J"}, ensure_ascii=False).encode("utf-16-le")
    with pytest.raises(WireError):
        wire.decode("open", line)


def test_a_run_file_cannot_hold_it(fake, tmp_path):
    run = empty_run(fake, 10)
    writer = Writer(tmp_path / "run.jsonl")
    host = {**run.header.host, "processor": "Fast\x1b[2J\n14 replicates"}
    writer.append(run.header.model_copy(update={"host": host}))
    writer.append(Caveat(about="run", text="all \u202egood"))
    writer.close()
    found = reading.read(tmp_path / "run.jsonl")
    assert found.header.host["processor"] == "Fast\\u001b[2J\\u000a14 replicates"
    assert found.caveats[0].text == "all \\u202egood"
