"""`pip install .` elsewhere: runners and studies travel inside the package."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long  # test_wheel.py installs what the same build makes, runners inside
def test_an_installed_copy_works_elsewhere(tmp_path):
    wheels = tmp_path / "wheels"
    # The backend of this environment is used, and its libraries: nothing is fetched.
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            wheels,
            ROOT,
        ],
        check=True,
    )
    (wheel,) = wheels.glob("*.whl")
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "install", "--no-deps", "--target", site, wheel],
        check=True,
    )
    libraries = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    environment = {
        name: value for name, value in os.environ.items() if name != "IOGAUGE_RUNNERS"
    } | {"PYTHONPATH": str(libraries)}

    def iogauge(*arguments: str) -> str:
        command = [
            python,
            "-c",
            "import sys; sys.path.insert(0, sys.argv.pop(1)); from iogauge.commands.cli import main; main()",
            site,
        ]
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env=environment,
        ).stdout

    where = subprocess.run(
        [
            python,
            "-c",
            f"import sys; sys.path.insert(0, {site!r}); import iogauge; print(iogauge.__file__)",
        ],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    assert where.startswith(site)
    assert "quick" in iogauge("list", "studies")
    assert "/null" in iogauge("list", "strategies")
