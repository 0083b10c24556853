"""The GitLab template, with stand-ins for iogauge and for the host."""

from __future__ import annotations

import http.server
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

from iogauge import __version__
from tests.test_action import HOSTILE, IOGAUGE, TABLE, program

TEMPLATE = Path(__file__).parents[1] / "templates/gitlab/iogauge.gitlab-ci.yml"


def parts() -> tuple[dict, str]:
    head, _, rest = TEMPLATE.read_text("utf-8").partition("\n---\n")
    return yaml.safe_load(head)["spec"]["inputs"], rest


def job(**given: str) -> dict:
    """As the host makes it: what is given takes its place in the text."""
    inputs, rest = parts()

    def value(found: re.Match[str]) -> str:
        known = given.get(found[1].replace("-", "_"), inputs[found[1]].get("default"))
        return known if isinstance(known, str) else json.dumps(known)

    made = yaml.safe_load(re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", value, rest))
    (name,) = made
    return made[name] | {"name": name}


class Host(http.server.BaseHTTPRequestHandler):
    """Keeps what it is asked, and has the notes of a merge request."""

    asked: list
    notes: list
    refuses = False
    strange = b""

    def answer(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kept = json.loads(sent) if sent else None
        self.asked.append((self.command, self.path, self.headers["PRIVATE-TOKEN"], kept))
        page = int((re.findall(r"&page=(\d+)", self.path) or [1])[0])
        notes = self.notes[100 * page - 100 : 100 * page]
        said = {"id": 5} if self.path == "/user" else notes
        self.send_response(403 if self.refuses else 200)
        self.end_headers()
        self.wfile.write(self.strange or json.dumps(said).encode())

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def host():
    class Handler(Host):
        asked, notes = [], []

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    Handler.address = f"http://127.0.0.1:{server.server_port}"
    yield Handler
    server.shutdown()
    server.server_close()


@pytest.fixture
def gated(tmp_path, host):
    """Runs the script of the job: its status, its log, and what iogauge saw."""
    program(tmp_path / "environment/bin/iogauge", IOGAUGE)
    (tmp_path / "work").mkdir()

    def run(status: int = 0, token: str = "secret", **given: str):
        made = job(**{"arguments": "run my.toml", **given})
        known = {"CI_JOB_NAME": made["name"], "CI_PROJECT_DIR": str(tmp_path / "work")}
        known |= {"CI_API_V4_URL": host.address, "CI_PROJECT_ID": "3", "IOGAUGE_TOKEN": token}
        known |= {"CI_MERGE_REQUEST_IID": "7", "STATUS_OF_IOGAUGE": str(status), "TABLE": TABLE}
        known |= {"SEEN": str(tmp_path / "seen.json"), "no_proxy": "*"}
        script = made["script"][0].replace(
            "/tmp/iogauge-environment", str(tmp_path / "environment")
        )
        done = subprocess.run(
            ["sh", "-ec", script.replace("python3 -", f"{sys.executable} -")],
            env={**os.environ, **made["variables"], **known},
            cwd=tmp_path / "work",
            capture_output=True,
            text=True,
        )
        seen = tmp_path / "seen.json"
        return done, json.loads(seen.read_text()) if seen.exists() else None

    return run


@pytest.mark.parametrize("status", range(5))
def test_the_job_leaves_with_the_status_of_the_gate_and_writes_a_note(gated, host, status):
    done, seen = gated(status)
    assert done.returncode == status, done.stderr
    assert seen["arguments"][:2] == ["run", "my.toml"]
    assert (
        seen["arguments"][2:4] == ["--max-slowdown", "5%"] and seen["arguments"][4] == "--markdown"
    )
    assert len(seen["arguments"]) == 6 and "IOGAUGE_TOKEN" not in seen["found"]
    method, path, token, sent = host.asked[-1]
    assert (method, path, token) == ("POST", "/projects/3/merge_requests/7/notes", "secret")
    assert sent["body"].startswith("<!-- iogauge: iogauge -->\n### ") and TABLE in sent["body"]


def test_an_earlier_note_is_updated_and_another_persons_is_not(gated, host):
    ours = "<!-- iogauge: iogauge -->\nold"
    host.notes += [
        {"id": 1, "author": {"id": 9}, "body": ours},
        {"id": 2, "author": {"id": 5}, "body": "hello"},
        {"id": 3, "author": {"id": 5}, "body": ours},
    ]
    gated()
    assert host.asked[-1][:2] == ("PUT", "/projects/3/merge_requests/7/notes/3")


def test_an_earlier_note_is_found_behind_many_others(gated, host):
    host.notes += [{"id": each, "author": {"id": 9}, "body": "x"} for each in range(130)]
    gated()
    assert host.asked[-1][0] == "POST"
    host.notes.append({"id": 7, "author": {"id": 5}, "body": "<!-- iogauge: iogauge -->\n"})
    gated()
    assert host.asked[-1][:2] == ("PUT", "/projects/3/merge_requests/7/notes/7")


def test_a_strange_answer_of_the_host_changes_no_status(gated, host):
    host.strange = b"<html>sign in</html>"
    done, _ = gated(0)
    assert done.returncode == 0 and "no note" in done.stdout


def test_without_a_token_or_the_right_to_there_is_no_note(gated, host):
    assert gated(4, token="")[0].returncode == 4 and not host.asked
    assert gated(1, comment="false")[0].returncode == 1 and not host.asked
    host.refuses = True
    done, _ = gated(1)
    assert done.returncode == 1 and "no note (HTTP Error 403" in done.stdout


def test_an_argument_with_anything_in_it_reaches_iogauge_as_it_is(gated, tmp_path):
    _, seen = gated(arguments=shlex.join(["run", *HOSTILE]), undecided="pass")
    assert seen["arguments"][1 : 1 + len(HOSTILE)] == HOSTILE
    assert seen["arguments"][-2:] == ["--undecided", "pass"]
    assert not [*tmp_path.rglob("harmed")]
    assert gated(arguments="run 'my.toml")[0].returncode == 2


def test_the_template_installs_this_version():
    assert parts()[0]["package"]["default"] == f"iogauge=={__version__}"
