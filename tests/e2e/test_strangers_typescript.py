"""Projects of TypeScript and Node as strangers write them: a number, or one line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from iogauge.runners import own, preparing
from tests.e2e import strangers

FAMILY, QUICK = "typescript", ("project",)
NEEDS = "TypeScript needs Node 22.18 or newer, or esbuild or typescript in the project"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("node"), reason="no Node"),
]


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder in which npm installs packages once; from its cache, if it has them."""
    made = {}

    def install(*packages: str):
        if packages not in made:
            if not shutil.which("npm"):
                pytest.skip("no npm")
            folder = tmp_path_factory.mktemp("installed")
            (folder / "package.json").write_text('{ "private": true }')
            words = ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", *packages]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            made[packages] = None if done.returncode else folder / "node_modules"
        if made[packages] is None:
            pytest.skip(f"npm cannot install {' and '.join(packages)} here, as without a network")
        return made[packages]

    return install


@pytest.fixture
def here(folder, monkeypatch):
    """The folder in which a stranger works."""
    strangers.put(folder, FAMILY)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def given(here, installed):
    """Gives that folder these packages besides those of tests/strangers."""

    def give(*packages: str):
        modules = here / "node_modules"
        shutil.copytree(here / "packages", modules)
        (modules / "@mono").mkdir()
        (modules / "@mono" / "text").symlink_to(here / "monorepo" / "packages" / "text")
        for each in installed(*packages).iterdir():
            (modules / each.name).symlink_to(each)
        return here

    return give


@pytest.mark.parametrize("name", strangers.named(FAMILY, QUICK))
def test_what_a_stranger_wrote_is_measured_or_told_in_a_line(iogauge, given, name):
    strangers.check(iogauge, given("esbuild"), FAMILY, name)


def measured(iogauge, *own: str):
    words = [word for each in own for word in ("--own", each)]
    return iogauge("log", *words, "--dir", ".", "--budget", "1s")
