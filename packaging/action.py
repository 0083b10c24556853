"""The steps of the GitHub Action in action.yml: install iogauge, run the gate, comment its table.

Everything that a user gives comes by environment variables, and no shell sees it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

MEANING = ("passes", "fails", "bad input; the log says what", "fails in both", "not decided")
OURS = {"PYTHON", "ARGUMENTS", "MAX_SLOWDOWN", "UNDECIDED", "NAME"}  # not for what is measured
MOST_OF_A_COMMENT = 60_000  # characters; the host takes 65 536
MOST_OF_A_SUMMARY = 500_000  # the host takes 1 MiB, and drops what is longer


def main(step: str) -> int:
    return {"install": install, "gate": gate, "comment": comment}[step]()


def environment_folder() -> Path:
    """Apart from the user's own Python, which may be what is measured."""
    return Path(os.environ["RUNNER_TEMP"]) / "iogauge-environment"


def install() -> int:
    package = os.environ.get("PACKAGE", "").strip() or of_this_action()
    made = subprocess.run([sys.executable, "-m", "venv", environment_folder()])
    if made.returncode:
        return made.returncode
    pip = [environment_folder() / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    return subprocess.run([*pip, "install", "--quiet", "--", package]).returncode


def of_this_action() -> str:
    project = Path(os.environ["GITHUB_ACTION_PATH"]) / "pyproject.toml"
    return "iogauge==" + tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]


def gate() -> int:
    """Run iogauge. Its status is an output and not this step's own, so that the next ones run."""
    out = Path(tempfile.mkdtemp(prefix="iogauge-", dir=os.environ["RUNNER_TEMP"]))
    table, summary, runs = out / "table.md", out / "summary.md", out / "data"
    try:
        command = [str(environment_folder() / "bin" / "iogauge"), *arguments(table)]
    except ValueError as error:
        print(f"::error title=iogauge::arguments: {escaped(str(error))}")
        return 2
    print(f"$ {shlex.join(['iogauge', *command[1:]])}", flush=True)
    environment = {key: value for key, value in os.environ.items() if key not in OURS}
    environment["XDG_DATA_HOME"] = str(runs)
    status = subprocess.run(command, env=environment).returncode
    status = 128 - status if status < 0 else status  # a signal, as shells say it
    summary.write_text(cut(said(status, table), MOST_OF_A_SUMMARY), encoding="utf-8")
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as page:
        page.write(summary.read_text(encoding="utf-8"))
    give(status=status, table=table, summary=summary, runs=runs / "iogauge" / "runs", name=name())
    return 0


def arguments(table: Path) -> list[str]:
    """Split as a shell would, with nothing expanded. Raises ValueError where a quote stays open."""
    given = shlex.split(os.environ["ARGUMENTS"])
    options = ["--max-slowdown", os.environ["MAX_SLOWDOWN"], "--markdown", str(table)]
    if os.environ.get("UNDECIDED"):
        options += ["--undecided", os.environ["UNDECIDED"]]
    options += ["--annotate", "github"]
    end = given.index("--") if "--" in given else len(given)
    return [*given[:end], *options, *given[end:]]


def said(status: int, table: Path) -> str:
    meaning = MEANING[status] if status < len(MEANING) else f"ended with status {status}"
    shown = table.read_text(encoding="utf-8", errors="replace").strip() if table.is_file() else ""
    # The table of a gate has a heading of its own.
    heading = "" if shown.startswith("#") else f"### iogauge: {meaning}"
    version = of_this_action().partition("==")[2]
    allowed = quoted(os.environ["MAX_SLOWDOWN"])
    last = f"{name()}: status {status}, allowed: {allowed} slower, iogauge {version}"
    return "\n\n".join(filter(None, (heading, shown, last))) + "\n"


def quoted(text: str) -> str:
    return "`" + re.sub(r"[`\s]+", " ", text).strip() + "`"


def name() -> str:
    return re.sub(r"[^\w.-]+", "-", os.environ.get("NAME", "")).strip("-") or "gate"


def give(**outputs: object) -> None:
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.writelines(f"{key}={value}\n" for key, value in outputs.items())


def comment() -> int:
    """One comment, updated in place. Where that is not allowed (a fork), a notice says so."""
    repository, number = os.environ["GITHUB_REPOSITORY"], int(os.environ["PULL_REQUEST"])
    comments = f"repos/{repository}/issues/{number}/comments"
    try:
        before = own(gh("--paginate", f"{comments}?per_page=100", "--jq", LISTED))
        one = f"repos/{repository}/issues/comments/{before}"
        where = ["--method", "PATCH", one] if before else ["--method", "POST", comments]
        gh(*where, "--input", "-", sent=json.dumps({"body": body()}))
    except Exception as error:  # whatever is wrong with a comment, the gate has decided
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        why = said[-1] if said else type(error).__name__
        told = f"no comment ({why}); the table is in the summary of the job"
        print(f"::notice title=iogauge::{escaped(told)}")
    return 0


LISTED = ".[] | {id, body, kind: .user.type, as: .author_association} | tojson"


def gh(*arguments: str, sent: str | None = None) -> str:
    command = ["gh", "api", *arguments]
    done = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
    return done.stdout


def own(listed: str) -> int | None:
    """The id of the comment of an earlier run. A stranger's that looks like it is left alone."""
    trusted = {"OWNER", "MEMBER", "COLLABORATOR"}
    for each in map(json.loads, filter(None, listed.splitlines())):
        if each["body"].startswith(marker()) and (each["kind"] == "Bot" or each["as"] in trusted):
            return int(each["id"])
    return None


def marker() -> str:
    return f"<!-- iogauge: {name()} -->"


def body() -> str:
    text = Path(os.environ["SUMMARY"]).read_text(encoding="utf-8")
    return f"{marker()}\n{cut(text, MOST_OF_A_COMMENT)}"


def cut(text: str, most: int) -> str:
    """At the end of a line, so that no row of a table is torn."""
    if len(text) <= most:
        return text
    return (
        text[:most].rpartition("\n")[0]
        + "\n\nMore is in the files that the job keeps, and in its log.\n"
    )


def escaped(text: str) -> str:
    """For a command of the runner, which ends at the end of the line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
