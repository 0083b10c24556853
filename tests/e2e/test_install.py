"""`pip install .` elsewhere: runners and studies travel inside the package."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = "from iogauge.commands.cli import main; main()"


@pytest.mark.long  # test_wheel.py installs what the same build makes, runners inside
def test_an_installed_copy_works_elsewhere(tmp_path):
    wheels, home = tmp_path / "wheels", tmp_path / "venv"
    pip = [sys.executable, "-m", "pip", "--quiet"]
    # The backend of this environment is used, and its libraries: nothing is fetched.
    made = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, ROOT]
    subprocess.run(made, check=True)
    (wheel,) = wheels.glob("*.whl")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    libraries = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    environment = {name: value for name, value in os.environ.items() if name != "IOGAUGE_RUNNERS"}
    environment["PYTHONPATH"] = str(libraries)

    def said(program: str, *arguments: str) -> str:
        command = [python, "-c", program, *arguments]
        return subprocess.check_output(command, text=True, cwd=tmp_path, env=environment)

    site = said("import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    subprocess.run([*pip, "install", "--no-deps", "--target", site, wheel], check=True)
    there = f"import sys; sys.path.insert(0, {site!r}); "
    assert said(f"{there}import iogauge; print(iogauge.__file__)").startswith(site)
    assert "quick" in said(there + COMMAND, "list", "studies")
    assert "/null" in said(there + COMMAND, "list", "strategies")
