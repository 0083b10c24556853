"""The GitHub Action and the GitLab template, with stand-ins for iogauge, for `gh` and for a host."""

from __future__ import annotations

import json
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from iogauge import __version__
from tests import composite
from tests.scripts import module_at

ROOT = Path(__file__).parents[1]
TABLE = "| way | new / old |\n|---|---|\n| `read` | 1.2-1.4x |"

IOGAUGE = """
import json, os, sys
said = dict(arguments=sys.argv[1:], runs=os.environ["XDG_DATA_HOME"], found=sorted(os.environ))
json.dump(said, open(os.environ["SEEN"], "w"))
if os.environ["TABLE"]:
    lines = os.environ["TABLE"] * int(os.environ.get("TIMES", 1))
    open(sys.argv[sys.argv.index("--markdown") + 1], "w").write(lines)
status = int(os.environ["STATUS_OF_IOGAUGE"])
os.kill(os.getpid(), -status) if status < 0 else sys.exit(status)
"""

GH = """
import json, os, sys
sent = sys.stdin.read() if "--input" in sys.argv else None
with open(os.environ["CALLS"], "a") as calls:
    print(json.dumps([sys.argv[1:], sent]), file=calls)
if os.environ.get("REFUSED"):
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
if "--paginate" in sys.argv:
    print(os.environ.get("THERE", ""))
"""


def program(path: Path, source: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
    path.chmod(0o755)


class Runner:
    """A machine of the host that carries out the action."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch
        program(folder / "iogauge-environment/bin/iogauge", IOGAUGE)
        program(folder / "bin/gh", GH)
        monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
        monkeypatch.setenv("SEEN", str(folder / "seen.json"))
        monkeypatch.setenv("CALLS", str(folder / "calls.jsonl"))
        (folder / "work").mkdir()

    def __call__(
        self, arguments="data.csv --own old=a.py --own new=b.py", event="pull_request", **more: str
    ) -> composite.Ran:
        given = {key.replace("_", "-"): value for key, value in more.items() if key.islower()}
        environment = {"STATUS_OF_IOGAUGE": "0", "TABLE": TABLE, "GITHUB_REPOSITORY": "o/r"}
        environment |= {key: value for key, value in more.items() if key.isupper()}
        known = {
            "steps.python.outputs.python-path": sys.executable,
            "github.event_name": event,
            "github.event.pull_request.number": "7",
            "github.token": "secret",
        }
        inputs = {"arguments": arguments, "working-directory": str(self.folder / "work"), **given}
        return composite.run(ROOT / "action.yml", inputs, known, self.folder, **environment)

    @property
    def seen(self) -> dict:
        return json.loads((self.folder / "seen.json").read_text())

    @property
    def calls(self) -> list:
        file = self.folder / "calls.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture
def runner(tmp_path, monkeypatch):
    return Runner(tmp_path, monkeypatch)


@pytest.mark.parametrize("status", range(5))
def test_the_action_leaves_with_the_status_of_the_gate_and_shows_its_table(runner, status):
    ran = runner(STATUS_OF_IOGAUGE=str(status), event="push")
    assert (ran.status, ran.outputs["status"]) == (status, str(status)), ran.log
    says = ["passes", "fails", "bad input; the log says what", "fails in both", "not decided"]
    heading, _, rest = ran.summary.partition("\n\n")
    assert heading == f"### iogauge: {says[status]}" and rest.startswith(TABLE)
    assert f"gate: status {status}, allowed: `5%` slower, iogauge {__version__}" in rest
    assert not runner.calls


def test_a_table_that_has_a_heading_gets_no_second_one(runner):
    ran = runner(TABLE=f"### SLOWER: read\n\n{TABLE}", event="push")
    assert ran.summary.startswith("### SLOWER: read\n") and ran.summary.count("#") == 3


def test_a_gate_that_was_killed_fails(runner):
    ran = runner(STATUS_OF_IOGAUGE="-9", event="push")
    assert ran.status == 137 and "ended with status 137" in ran.summary


def test_the_gate_gets_what_the_user_says_and_keeps_its_run_files_apart(runner):
    ran = runner(max_slowdown="3%", undecided="pass", event="push", name="my gate: 1")
    given = runner.seen["arguments"]
    assert given[:5] == ["data.csv", "--own", "old=a.py", "--own", "new=b.py"]
    rest = dict(zip(given[5::2], given[6::2], strict=True))
    assert rest.pop("--markdown") == ran.outputs["table"]
    assert rest == {"--max-slowdown": "3%", "--undecided": "pass", "--annotate": "github"}
    assert ran.outputs["runs"] == f"{runner.seen['runs']}/iogauge/runs"
    assert ran.outputs["name"] == "my-gate-1"
    assert not {"GH_TOKEN", "ARGUMENTS", "MAX_SLOWDOWN", "NAME"} & {*runner.seen["found"]}


def test_without_a_word_on_what_is_undecided_iogauge_decides(runner):
    runner(event="push")
    assert "--undecided" not in runner.seen["arguments"]


def test_stored_runs_are_compared_and_what_follows_two_dashes_stays_last(runner):
    runner("compare a.jsonl b.jsonl", event="push")
    assert runner.seen["arguments"][:3] == ["compare", "a.jsonl", "b.jsonl"]
    assert runner.seen["arguments"][-2:] == ["--annotate", "github"]
    runner("command -- 'cat {file}'", event="push")
    assert runner.seen["arguments"][-2:] == ["--", "cat {file}"]


HOSTILE = [
    "$(touch harmed)",
    "`touch harmed`",
    "a; touch harmed",
    "a && touch harmed",
    'say "hello"',
    "it's",
    "${{ github.token }}",
    "a b  c",
    "*",
    "$HOME",
    "x\\y",
]


def test_an_argument_with_anything_in_it_reaches_iogauge_as_it_is(runner):
    runner(shlex.join(["run", *HOSTILE]), event="push")
    assert runner.seen["arguments"][1 : 1 + len(HOSTILE)] == HOSTILE
    runner("run $(touch harmed) `touch harmed` ; touch harmed", event="push")
    assert runner.seen["arguments"][1:3] == ["$(touch", "harmed)"]
    for name in ("max_slowdown", "undecided", "name"):
        runner(event="push", **{name: '5%"; touch harmed; $(touch harmed)'})
    assert not [*runner.folder.rglob("harmed")]


def test_a_quote_that_stays_open_is_told_and_fails(runner):
    ran = runner("run 'my study.toml", event="push")
    assert ran.status == 2 and "::error title=iogauge::arguments: No closing quotation" in ran.log
    assert not (runner.folder / "seen.json").exists()


def test_without_a_table_the_summary_says_why(runner):
    ran = runner(STATUS_OF_IOGAUGE="2", TABLE="", event="push")
    assert ran.status == 2 and "the log says what" in ran.summary and "|" not in ran.summary


def test_the_table_becomes_a_comment(runner):
    ran = runner(STATUS_OF_IOGAUGE="1")
    assert ran.status == 1, ran.log
    (asked, _), (made, sent) = runner.calls
    assert asked[:3] == ["api", "--paginate", "repos/o/r/issues/7/comments?per_page=100"]
    assert made == ["api", "--method", "POST", "repos/o/r/issues/7/comments", "--input", "-"]
    text = json.loads(sent)["body"]
    assert text.startswith("<!-- iogauge: gate -->\n### ") and TABLE in text
    assert text.endswith(ran.summary)


def there(**more: object) -> str:
    comment = {"id": 1, "body": "<!-- iogauge: gate -->\nold", "kind": "Bot", "as": "NONE"}
    return json.dumps(comment | more)


def test_an_earlier_comment_is_updated_in_place(runner):
    listed = [there(id=1, body="<!-- iogauge: other -->"), there(id=2), there(id=3)]
    runner(THERE="\n".join(listed))
    assert runner.calls[1][0][:4] == ["api", "--method", "PATCH", "repos/o/r/issues/comments/2"]


def test_a_comment_of_a_stranger_that_looks_like_ours_is_left_alone(runner):
    runner(THERE=there(kind="User", **{"as": "CONTRIBUTOR"}))
    assert runner.calls[1][0][2] == "POST"
    runner(THERE=there(kind="User", **{"as": "MEMBER"}))
    assert runner.calls[3][0][2] == "PATCH"


def test_a_fork_may_not_comment_and_the_rest_stays(runner):
    ran = runner(REFUSED="1")
    assert ran.status == 0 and TABLE in ran.summary
    assert "::notice title=iogauge::no comment (gh: Resource not accessible" in ran.log
    (runner.folder / "bin/gh").unlink()
    assert "::notice title=iogauge::no comment" in (ran := runner(STATUS_OF_IOGAUGE="4")).log
    assert ran.status == 4


def test_a_comment_is_no_longer_than_the_host_takes(runner):
    runner(TABLE="| long |\n", TIMES="20000")
    text = json.loads(runner.calls[1][1])["body"]
    assert len(text) < 65_536 and "More is in the files" in text


@pytest.mark.long
def test_the_action_installs_a_package_into_an_environment_of_its_own(tmp_path, monkeypatch):
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr(
            "tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n"
        )
        archive.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny-1.dist-info/RECORD", "tiny.py,,\n")
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    monkeypatch.setenv("PACKAGE", str(wheel))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    action = module_at(ROOT / "packaging/action.py")
    assert action.install() == 0
    assert [*action.environment_folder().glob("lib/*/site-packages/tiny.py")]


def test_the_action_installs_its_own_version(monkeypatch):
    monkeypatch.setenv("GITHUB_ACTION_PATH", str(ROOT))
    action = module_at(ROOT / "packaging/action.py")
    assert action.of_this_action() == f"iogauge=={__version__}"
