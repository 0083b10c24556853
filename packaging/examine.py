"""Examines what is going to be published.

python packaging/examine.py dist/*           wheels and source distributions: what is in them
python packaging/examine.py --release v1.2.3    whether this commit may be released by that name
"""

from __future__ import annotations

import argparse
import email
import email.message
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEVER = re.compile(r"(^|/)(\.venv|\.git|__pycache__|build|dist|target)/|\.(pyc|jsonl|env|pem|key)$")
MEANT = re.compile(r"^(tests|docs)/|/prebuilt/")  # run files of tests; what was built for a runner
IN_WHEEL = ["iogauge/py.typed", "iogauge/__main__.py", "iogauge/studies/quick.toml"]
IN_SDIST = ["pyproject.toml", "README.md", "LICENSE", "THIRD-PARTY.md", "src/iogauge/py.typed"]
IN_SDIST += ["packaging/hatch_build.py", "runners/README.md", "studies/quick.toml", "PKG-INFO"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--release", metavar="TAG")
    given = parser.parse_args()
    wrong = [f"{file.name}: {each}" for file in given.files for each in examined(file)]
    wrong += list(not_releasable(given.release)) if given.release else []
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


def examined(file: Path) -> Iterator[str]:
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            yield from in_wheel(archive, file.name)
    elif file.name.endswith(".tar.gz"):
        with tarfile.open(file) as archive:
            yield from in_sdist(archive)
    else:
        yield "neither a wheel nor a source distribution"


def in_wheel(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    there = set(archive.namelist())
    runners = [path.parent.name for path in ROOT.glob("runners/*/runner.toml")]
    needed = IN_WHEEL + [f"iogauge/runners_source/{each}/runner.toml" for each in runners]
    if not name.endswith("-any.whl"):
        built = ("go", "jvm", "rust")
        needed += [f"iogauge/runners_source/{each}/prebuilt/prebuilt.json" for each in built]
        needed += ["iogauge/outputs/html/vega.txt"]
    about = f"iogauge-{project()['version']}.dist-info"
    needed += [f"{about}/licenses/LICENSE", f"{about}/licenses/THIRD-PARTY.md", f"{about}/METADATA"]
    yield from (f"{each} is missing" for each in needed if each not in there)
    others = (each for each in there if not each.startswith(("iogauge/", f"{about}/")))
    yield from (f"{each} does not belong into it" for each in sorted(others))
    yield from unwanted(there)
    if f"{about}/METADATA" in there:
        yield from wrong_metadata(archive.read(f"{about}/METADATA").decode())


def in_sdist(archive: tarfile.TarFile) -> Iterator[str]:
    there = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    yield from (f"{each} is missing" for each in IN_SDIST if each not in there)
    yield from unwanted(there)
    information = archive.extractfile(f"iogauge-{project()['version']}/PKG-INFO")
    yield from wrong_metadata(information.read().decode() if information else "")


def unwanted(names: set[str]) -> Iterator[str]:
    found = (name for name in names if NEVER.search(name) and not MEANT.search(name))
    yield from (f"{each} does not belong into it" for each in sorted(found))


def wrong_metadata(text: str) -> Iterator[str]:
    """What a package registry shows, and refuses."""
    said: email.message.Message = email.message_from_string(text)
    if said["Version"] != project()["version"] or said["Name"] != "iogauge":
        yield f"metadata: it is {said['Name']} {said['Version']}"
    if said["Description-Content-Type"] != "text/markdown":
        yield f"metadata: the README is shown as {said['Description-Content-Type']}"
    body = str(said.get_payload())
    if body.strip() != (ROOT / "README.md").read_text(encoding="utf-8").strip():
        yield "metadata: the description is not README.md"
    if not 0 < len(said["Summary"] or "") <= 512:  # what registries take
        yield "metadata: no summary, or one longer than 512 characters"
    if "Typing :: Typed" not in (said.get_all("Classifier") or []):
        yield "metadata: Typing :: Typed is missing"


def not_releasable(tag: str) -> Iterator[str]:
    version = project()["version"]
    if tag != f"v{version}":
        yield f"the tag {tag} does not name the version in pyproject.toml, {version}"
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = re.search(rf"^## {re.escape(version)}\b(.*)$", changes, re.MULTILINE)
    if not heading or not re.search(r"\d{4}-\d\d-\d\d", heading[1]):
        yield f"CHANGELOG.md: {version} has no date"


def project() -> dict[str, str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


if __name__ == "__main__":
    sys.exit(main())
