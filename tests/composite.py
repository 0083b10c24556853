"""Runs the shell steps of a composite action, as far as the host's runner does: inputs become
environment variables, and outputs go through files. Steps of other actions are left out.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")


@dataclass
class Ran:
    status: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)


def run(
    action: Path, inputs: dict[str, str], known: dict[str, str], folder: Path, **environment: str
) -> Ran:
    """The steps from the one with the id `gate` on. `known` has the values of other expressions."""
    described: dict[str, Any] = yaml.safe_load(action.read_text("utf-8"))
    values = {f"inputs.{key}": each.get("default", "") for key, each in described["inputs"].items()}
    values |= {f"inputs.{key}": value for key, value in inputs.items()} | known
    ran = Ran()
    for step in described["runs"]["steps"]:
        if "run" not in step or step["name"].startswith("Install"):
            continue
        if step["name"] == "Comment" and values["github.event_name"] != "pull_request":
            continue
        once(step, values, folder, action.parent, environment, ran)
    ran.summary = (folder / "summary").read_text("utf-8") if (folder / "summary").exists() else ""
    return ran


def once(step, values, folder, action, environment, ran) -> None:
    def filled(text: str) -> str:
        return EXPRESSION.sub(lambda each: values.get(each[1], ""), text)

    files = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary"}
    files["GITHUB_OUTPUT"].write_text("")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=filled(step.get("working-directory", "")) or None,
        env={
            **os.environ,
            **{key: str(value) for key, value in files.items()},
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(action),
            **{key: filled(value) for key, value in step.get("env", {}).items()},
            **environment,
        },
        capture_output=True,
        text=True,
    )
    ran.log += done.stdout + done.stderr
    ran.status = ran.status or done.returncode
    for line in files["GITHUB_OUTPUT"].read_text("utf-8").splitlines():
        key, _, value = line.partition("=")
        values[f"steps.{step['id']}.outputs.{key}"] = ran.outputs[key] = value
