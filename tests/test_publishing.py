"""What the host of the repository and the package registry read: valid, pinned, and with few rights."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner
from trove_classifiers import classifiers

from iogauge import __version__
from tests.scripts import module_at
from tests.test_gitlab_template import TEMPLATE, job

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FORMS = sorted(each for each in ROOT.glob(".github/ISSUE_TEMPLATE/*.yml") if each.stem != "config")
ACTION = ROOT / "action.yml"
PAGE = (ROOT / "docs/ci.md").read_text("utf-8")
SHA = re.compile(r"^[\w-]+/[\w-]+@[0-9a-f]{40}$")
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


def wrong(kind: str, *files: Path) -> str:
    """What the schema of the host has against them. The schemas come with the checker."""
    arguments = ["--builtin-schema", f"vendor.{kind}", *map(str, files)]
    done = CliRunner().invoke(check_jsonschema, arguments)
    return done.output if done.exit_code else ""


VALID = {
    "github-workflows": WORKFLOWS,
    "github-actions": [ACTION],
    "github-issue-forms": FORMS,
    "github-issue-config": [ROOT / ".github/ISSUE_TEMPLATE/config.yml"],
    "dependabot": [ROOT / ".github/dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


@pytest.mark.parametrize("kind", VALID)
def test_a_file_is_what_the_schema_of_its_kind_says(kind):
    assert VALID[kind] and not wrong(kind, *VALID[kind])


def test_the_gitlab_template_is_valid_before_and_after_its_inputs_are_put_in(tmp_path):
    head = TEMPLATE.read_text("utf-8").partition("\n---\n")[0]
    made = job(arguments="run 'a b.toml' \"$(c)\"")
    assert made["variables"]["IOGAUGE_ARGUMENTS"] == "run 'a b.toml' \"$(c)\""
    (tmp_path / "head.yml").write_text(head, "utf-8")
    (tmp_path / "job.yml").write_text(yaml.safe_dump({made.pop("name"): made}), "utf-8")
    assert not wrong("gitlab-ci", tmp_path / "head.yml", tmp_path / "job.yml")


def test_the_examples_of_the_page_are_valid_and_name_inputs_that_there_are(tmp_path):
    *on_github, on_gitlab = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(on_github) == 2
    inputs = yaml.safe_load(ACTION.read_text("utf-8"))["inputs"]
    for number, each in enumerate(on_github):
        (tmp_path / f"{number}.yml").write_text(each, "utf-8")
        (step,) = (
            step
            for step in yaml.safe_load(each)["jobs"]["gate"]["steps"]
            if "iogauge@" in step["uses"]
        )
        assert set(step["with"]) <= set(inputs)
        assert step["uses"].endswith(f"@v{__version__.partition('.')[0]}")
    assert not wrong("github-workflows", *tmp_path.glob("*.yml"))
    (tmp_path / "gitlab.yml").write_text(on_gitlab, "utf-8")
    assert not wrong("gitlab-ci", tmp_path / "gitlab.yml")
    (included,) = yaml.safe_load(on_gitlab)["include"]
    assert included["local"] == TEMPLATE.name
    known = yaml.safe_load(TEMPLATE.read_text("utf-8").partition("\n---\n")[0])["spec"]["inputs"]
    assert set(included["inputs"]) <= set(known)
    assert not [each for each in {*inputs, *known} if f"`{each}`" not in PAGE]


def steps(file: Path) -> list[dict]:
    whole = yaml.safe_load(file.read_text("utf-8"))
    jobs = [whole["runs"]] if "runs" in whole else whole["jobs"].values()
    return [step for each in jobs for step in [*each.get("steps", []), each]]


@pytest.mark.parametrize("file", [ACTION, *WORKFLOWS], ids=lambda file: file.name)
def test_actions_are_pinned_and_no_expression_gets_into_a_shell(file):
    for step in steps(file):
        assert "${{" not in step.get("run", ""), step
        uses = step.get("uses", "./")
        assert uses.startswith("./") or SHA.match(uses), uses
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
    lines = [line for line in file.read_text("utf-8").splitlines() if "uses: " in line]
    assert all("./" in line or re.search(r"# v\d+\.\d+\.\d+$", line) for line in lines), lines


def test_an_action_is_the_same_one_everywhere():
    found = [
        step["uses"] for file in (ACTION, *WORKFLOWS) for step in steps(file) if "uses" in step
    ]
    pinned = {each.partition("@")[0]: set() for each in found}
    for each in found:
        pinned[each.partition("@")[0]].add(each)
    assert not {name: used for name, used in pinned.items() if len(used) > 1}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_may_little_and_ends(file):
    whole = yaml.safe_load(file.read_text("utf-8"))
    assert whole["permissions"] == {"contents": "read"} and "concurrency" in whole
    for job_ in whole["jobs"].values():
        assert "uses" in job_ or 0 < job_["timeout-minutes"] <= 60
    writes = {
        name for name, each in whole["jobs"].items() if "write" in str(each.get("permissions"))
    }
    assert writes == {"release": {"publish", "announce"}, "docs": {"deploy"}}.get(file.stem, set())
    assert "secrets." not in file.read_text("utf-8"), "publishing takes no token"
    assert "pull_request_target" not in file.read_text("utf-8")


def test_tests_run_what_continuous_integration_runs_on_two_pythons_and_two_jdks():
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))["jobs"]
    rows = jobs["tests"]["strategy"]["matrix"]["include"]
    assert {row["jdk"] for row in rows} == {"17", "25"} and len(
        {row["python"] for row in rows}
    ) == 2
    assert jobs["tests"]["steps"][-1]["run"] == ".ci/run"
    named = {each.rpartition(" ")[2] for each in PROJECT["classifiers"] if " 3." in each}
    assert {row["python"] for row in rows} <= named


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_asks_for_what_doctor_says(form):
    fields = {each.get("id"): each for each in yaml.safe_load(form.read_text("utf-8"))["body"]}
    assert "`iogauge doctor`" in fields["doctor"]["attributes"]["label"]
    assert fields["doctor"].get("validations", {}).get("required", False) or form.stem == "idea"


def test_no_owner_and_no_address_is_invented():
    files = [ACTION, TEMPLATE, *FORMS, *(ROOT / name for name in ("SECURITY.md", "CITATION.cff"))]
    for each in [*files, *WORKFLOWS, ROOT / "docs/ci.md"]:
        text = each.read_text("utf-8")
        assert not re.search(r"github\.com/|gitlab\.com|mailto:|\w@\w+\.\w", text), each
        owners = re.findall(r"([\w-]+)/iogauge@", text)
        assert set(owners) <= {"OWNER"}, each


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_metadata_say_what_it_is():
    assert not set(PROJECT["classifiers"]) - classifiers
    assert "writ" in PROJECT["description"] and "read APIs" not in PROJECT["description"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == __version__ and cited["license"] == PROJECT["license"]
    assert " ".join(cited["abstract"].split()) == PROJECT["description"]


@pytest.fixture(scope="module")
def examine():
    return module_at(ROOT / "packaging/examine.py")


def test_what_is_built_holds_what_it_should(examine, tmp_path):
    kinds = ["-t", "sdist", "-t", "wheel"]
    command = [sys.executable, "-m", "hatchling", "build", *kinds, "-d", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    wheel, sdist = sorted(tmp_path.iterdir(), key=lambda each: each.suffix != ".whl")
    assert [*examine.examined(wheel), *examine.examined(sdist)] == []


def test_what_is_missing_or_too_much_is_told(examine, tmp_path):
    wheel = tmp_path / "iogauge-0.1.0-py3-none-manylinux_2_17_x86_64.whl"
    about = f"iogauge-{__version__}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("tests/x.py", "iogauge/a.jsonl", "iogauge/__pycache__/a.pyc"):
            archive.writestr(name, "")
        archive.writestr(f"{about}/METADATA", "Name: iogauge\nVersion: 0\nSummary:\n\nother")
    told = "\n".join(examine.examined(wheel))
    for each in (
        "py.typed is missing",
        "go/prebuilt/prebuilt.json is missing",
        "tests/x.py does not",
    ):
        assert each in told
    for each in ("a.jsonl does not belong", "it is iogauge 0", "is shown as None", "not README.md"):
        assert each in told
    sdist = tmp_path / "iogauge-0.1.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        information = tarfile.TarInfo(f"iogauge-{__version__}/PKG-INFO")
        archive.addfile(information, io.BytesIO())
    assert "LICENSE is missing" in "\n".join(examine.examined(sdist))


def test_only_the_version_with_a_date_may_be_released(examine, tmp_path, monkeypatch):
    monkeypatch.setattr(examine, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', "utf-8")
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text("## 1.2.3 (unreleased)\n", "utf-8")
    assert [*examine.not_releasable("v1.2.3")] == ["CHANGELOG.md: 1.2.3 has no date"]
    changes.write_text("## 1.2.3 (2026-12-01)\n", "utf-8")
    assert [*examine.not_releasable("v1.2.3")] == []
    assert "does not name the version" in [*examine.not_releasable("v1.2.4")][0]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("go") is None, reason="no Go; it builds actionlint")
def test_actionlint_finds_nothing(tmp_path):
    environment = {**os.environ, "GOBIN": str(tmp_path), "GOFLAGS": "-mod=mod"}
    built = subprocess.run(
        ["go", "install", ACTIONLINT], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    if built.returncode:
        pytest.skip(f"actionlint cannot be had: {built.stderr.strip()[-200:]}")
    examples = re.findall(r"```yaml\n(name:.*?)```", PAGE, re.DOTALL)
    for number, each in enumerate(examples):
        (tmp_path / f"{number}.yml").write_text(each, "utf-8")
    files = [*WORKFLOWS, *tmp_path.glob("*.yml")]
    done = subprocess.run(
        [tmp_path / "actionlint", "-color=false", *files], cwd=ROOT, capture_output=True, text=True
    )
    assert examples and done.returncode == 0, done.stdout + done.stderr
