"""Two runners that need no toolchain but Python: `fake`, and `other`, whose build is a test's."""

from __future__ import annotations

import shutil
from pathlib import Path

FAKE = Path(__file__).parent / "runners" / "fake"
BOTH = """
id = "both"
title = "Both"
budget = 1
rounds = { warm = 2 }
[[group]]
id = "g"
question = "?"
size = "64K"
[[group.case]]
strategy = ["fake/steady", "other/steady"]
"""
"""A study of both."""


def other(
    folder: Path, build: str, *, starts: str = "{runtime}", tools: str = "", unfit: str = ""
) -> Path:
    """A copy of the fake runner for a language `other`. It is built by this command of a shell
    first, may need `tools` and no characters that are `unfit`, and is started by `starts`.
    """
    made = folder / "other"
    shutil.copytree(FAKE, made)
    text = (FAKE / "runner.toml").read_text()
    text = text.replace('"fake"', '"other"')
    text = text.replace("commands = [", f"commands = [['sh', '-c', '{build}'],")
    text = text.replace('command = ["{runtime}"', f'command = ["{starts}"')
    needs = f"tools = [{tools}]\nunfit = '{unfit}'\n[runtime]"
    text = text.replace("[runtime]", needs, 1)
    (made / "runner.toml").write_text(text)
    for name in ("fake_runner.py", "catalogue.json"):
        said = (made / name).read_text().replace("fake/", "other/").replace("fake-1.0", "other-1.0")
        (made / name).write_text(said)
    return made
