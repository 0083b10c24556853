"""Separate runs, measured one after another and compared."""

from __future__ import annotations

import pytest

from tests.fake_study import HEAD, group, steady


def study(folder, *speeds):
    path = folder / "study.toml"
    text = HEAD.replace('"1h"', '"4s"') + group(steady(*speeds, scatter=0))
    path.write_text(text)
    return path


@pytest.mark.usefixtures("only_fake")
def test_two_runs_of_one_study_are_compared(iogauge, folder):
    """Whole: measured, stored, compared. One base decides nothing, whatever came out."""
    paths = []
    for number in (1, 2):
        paths.append(folder / f"{number}.jsonl")
        made = iogauge(
            "run", study(folder, 2000, 3000), "--dir", folder, "--out", paths[-1], "--seed", number
        )
        assert made.returncode == 0, made.stderr
    done = iogauge("compare", *paths, "--max-slowdown", "5%")
    assert done.returncode == 4, done.stderr
    assert "UNDECIDED: 2 of 2 ways" in done.stdout and "Nothing differs" in done.stdout


@pytest.mark.long
@pytest.mark.real
def test_real_runs_are_compared(iogauge, folder, languages):
    if "c" not in languages:
        pytest.skip("no C compiler here")
    path, paths = folder / "real.toml", []
    path.write_text(
        'id = "real"\ntitle = "Real"\nbudget = "12s"\n[[group]]\nid = "a"\nquestion = "?"\n'
        'size = "1M"\ncache = "warm"\nto_the_end = true\n[[group.case]]\nstrategy = "c/read"\n'
        'parameters = { block = ["4K", "128K"] }\n'
    )
    for number in range(4):
        paths.append(folder / f"{number}.jsonl")
        made = iogauge("run", path, "--dir", folder, "--out", paths[-1])
        assert made.returncode == 0, made.stderr
    done = iogauge("compare", *paths, "--max-slowdown", "90%")
    assert done.returncode in (0, 4), done.stdout
    assert "fixed work" in done.stdout or "the ceiling" in done.stdout
    alone = iogauge("compare", paths[0], paths[-1], "--max-slowdown", "90%")
    assert alone.returncode == 4
