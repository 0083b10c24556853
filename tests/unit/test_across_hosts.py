"""`compare`, `claims`, `advise`, `history` and `show --json` over hosts, on runs made by hand."""

from __future__ import annotations

import json
import re

import pytest

from iogauge.analysis import report
from iogauge.analysis.asked import on_any_host
from iogauge.history import indexing
from iogauge.history.database import Database
from iogauge.history.history import History
from iogauge.outputs import history as history_screen
from iogauge.runners import hints
from tests import fleet_runs, histories
from tests.separate_runs import a_run, with_host

THREE = ("alpha", "beta", "gamma")
CLAIMS = """
[[claim]]
id = "first"
says = "The first one is faster than the second."
[[claim.test]]
kind = "faster-than"
cases = "fake/steady(*speed=10)"
than = "fake/steady(*speed=20)"
"""


def fleet(fake, folder, name, names=THREE, times=None, **more):
    """A fleet run of these hosts; `times` of those that differ."""
    of = {
        host: a_run(
            fake,
            f"{name} {host}",
            times=(times or {}).get(host, (1.0, 1.0, 1.0)),
            change=with_host(name=host, identity=host),
        )
        for host in names
    }
    return fleet_runs.write(folder / name, of, **more)


@pytest.fixture
def bases(fake, tmp_path):
    return [fleet(fake, tmp_path, f"base-{number}") for number in range(3)]


def test_a_way_that_is_slower_on_one_host_is_told_with_its_host(fake, tmp_path, bases, iogauge):
    new = fleet(fake, tmp_path, "new", times={"beta": (1.0, 3.0, 1.0)})
    done = iogauge("compare", *bases, new, "--max-slowdown", "20%")
    assert done.returncode == 1, done
    assert "SLOWER: 1 of 3 ways is surely over 20 % slower on beta" in done.stdout
    assert "slower on 1 of 3 hosts" in done.stdout
    assert "slower: beta (2." in done.stdout
    assert "Nothing" not in done.stdout


def test_on_one_host_its_own_ratio_is_told(fake, tmp_path, iogauge):
    bases = [fleet(fake, tmp_path, f"base-{number}", ("alpha",)) for number in range(3)]
    new = fleet(fake, tmp_path, "new", ("alpha",), times={"alpha": (1.0, 3.0, 1.0)})
    done = iogauge("compare", *bases, new, "--max-slowdown", "20%")
    assert done.returncode == 1, done
    assert re.search(r" 2\.\S+ +slower on the one host", done.stdout)
    assert "over hosts" not in done.stdout


def test_of_a_few_hosts_each_is_told(fake, tmp_path, bases, iogauge):
    new = fleet(fake, tmp_path, "new", times=dict.fromkeys(THREE, (1.0, 3.0, 1.0)))
    done = iogauge("compare", *bases, new, "--max-slowdown", "20%")
    assert re.search(r"slower: alpha \(2\.\S+\), beta \(2\.\S+\) and gamma \(2\.", done.stdout)


def test_a_file_without_a_header_is_missing_and_the_others_have_an_answer(fake, tmp_path, iogauge):
    one = fleet(fake, tmp_path, "one")
    (path,) = one.glob("beta.*.jsonl")
    path.write_text("")
    done = iogauge("show", one)
    assert done.returncode == 0, done
    assert "! beta: not a run file: it is empty" in done.stdout
    assert "on both hosts" in done.stdout


def test_where_no_file_can_be_read_the_reason_is_told(fake, tmp_path, iogauge):
    one = fleet(fake, tmp_path, "one", THREE[:1])
    (path,) = one.glob("alpha.*.jsonl")
    path.write_text("")
    done = iogauge("show", one)
    assert done.returncode == 2
    assert "not a run file: it is empty" in done.stderr


def test_what_is_not_slower_on_any_host_passes(fake, tmp_path, bases, iogauge):
    new = fleet(fake, tmp_path, "new")
    done = iogauge("compare", *bases, new, "--max-slowdown", "100%", "--json")
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    assert found["iogauge_compare_hosts"] == 1
    assert found["verdict"] == "not slower"
    assert found["hosts"] == list(THREE)
    assert all(each["lo"] < 1 < each["hi"] for each in found["ways"])
    assert set(found["ways"][0]["hosts"]) == set(THREE)


def test_a_host_that_is_gone_leaves_the_whole_undecided(fake, tmp_path, bases, iogauge):
    new = fleet(fake, tmp_path, "new", THREE[:2], gamma="missing")
    done = iogauge("compare", *bases, new, "--max-slowdown", "100%")
    assert done.returncode == 4, done
    assert "only in the base, so not compared: gamma" in done.stdout
    assert "UNDECIDED: something is missing" in done.stdout


def test_a_study_that_is_gone_on_a_host_leaves_the_whole_undecided(fake, tmp_path, iogauge):
    def both(name, host):
        def other(run):
            with_host(name=host, identity=host)(run)
            plan = run.plan.model_copy(update={"study": "other"})
            run.header = run.header.model_copy(update={"plan": plan})

        one = a_run(fake, f"{name} {host}", change=with_host(name=host, identity=host))
        return [one, a_run(fake, f"{name} {host} other", change=other)]

    bases = [
        fleet_runs.write(tmp_path / f"b{n}", {host: both(f"b{n}", host) for host in THREE})
        for n in range(3)
    ]
    of_new = {host: both("new", host) for host in THREE}
    whole = fleet_runs.write(tmp_path / "whole", of_new)
    assert iogauge("compare", *bases, whole, "--max-slowdown", "100%").returncode == 0
    less = fleet_runs.write(tmp_path / "less", of_new | {"beta": of_new["beta"][:1]})
    assert iogauge("compare", *bases, less, "--max-slowdown", "100%").returncode == 4


def test_a_way_that_fails_on_a_host_is_told(fake, tmp_path, iogauge):
    of = {
        host: a_run(
            fake,
            host,
            failing=[2] if host != "alpha" else [],
            change=with_host(name=host, identity=host),
        )
        for host in THREE
    }
    folder = fleet_runs.write(tmp_path / "fleet", of)
    shown = iogauge("show", folder).stdout
    assert "speed 40 fails on beta and gamma (it broke)" in shown
    assert iogauge("report", folder, "-o", tmp_path / "page.html").returncode == 0
    assert (tmp_path / "page.html").read_text().count(">fails</td>") == 2
    of = {h: a_run(fake, h, failing=[0], change=with_host(name=h, identity=h)) for h in THREE[:1]}
    of |= {h: a_run(fake, h, change=with_host(name=h, identity=h)) for h in THREE[1:]}
    shown = iogauge("show", fleet_runs.write(tmp_path / "other", of)).stdout
    assert "fails on: alpha (it broke)" in shown


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        (["17.0.2"], ["17"]),
        (["17.0.2", "21.0.1"], ["17", "21"]),
        (["1.22.1", "1.26.8"], ["1.22", "1.26"]),
        (["1.26.7", "1.26.8"], ["1.26.7", "1.26.8"]),
    ],
)
def test_runtimes_are_told_apart_on_any_host(fake, versions, found):
    run = a_run(fake, "x", replicates=0)
    runtimes = [
        run.header.runtimes[0].model_copy(update={"name": f"fake-{each}", "version": each})
        for each in versions
    ]
    header = run.header.model_copy(update={"runtimes": tuple(runtimes)})
    assert [on_any_host(header, each.name) for each in runtimes] == found


def test_one_base_decides_nothing_but_gives_the_ratio_over_hosts(fake, tmp_path, bases, iogauge):
    new = fleet(fake, tmp_path, "new", times=dict.fromkeys(THREE, (1.0, 2.0, 1.0)))
    done = iogauge("compare", bases[0], new, "--max-slowdown", "5%")
    assert done.returncode == 4, done
    assert "nothing is decided on any host: give three base" in " ".join(done.stdout.split())
    (row,) = [line for line in done.stdout.splitlines() if "speed 20" in line]
    lo, hi = map(float, row.split()[3].split("-"))
    assert 1.5 < lo < 2 < hi < 2.5


def test_fleets_are_compared_with_fleets(tmp_path, bases, iogauge):
    (one, *_) = bases[0].glob("*.jsonl")
    for given in ([bases[0], one], [bases[0]], [bases[0], bases[0]]):
        done = iogauge("compare", *given)
        assert done.returncode == 2
        assert done.stderr.startswith("iogauge: RUN: ")


def test_hosts_share_the_error(fake, tmp_path):
    """So the interval of one host is wider where many are asked."""

    def width(count):
        from iogauge.analysis import separate

        bases = [separate.of_report(report.make(a_run(fake, f"b{n}"))) for n in range(3)]
        new = separate.of_report(report.make(a_run(fake, "new")))
        found = separate.compare(bases, new, 0.05, count).ways[1].found.comparison
        return found.hi / found.lo

    assert width(1) < width(3) < width(30)


def with_claims(fake, name, times):
    run = a_run(fake, name, times=times, change=with_host(name=name, identity=name))
    run.header = run.header.model_copy(update={"study_source": run.header.study_source + CLAIMS})
    return run


def test_a_claim_is_judged_on_each_host(fake, tmp_path, iogauge):
    of = {host: with_claims(fake, host, (1.0, 1.0, 1.0)) for host in THREE[:2]}
    of["gamma"] = with_claims(fake, "gamma", (4.0, 1.0, 1.0))
    folder = fleet_runs.write(tmp_path / "fleet", of, delta="missing")
    done = iogauge("claims", folder)
    assert done.returncode == 0, done
    assert "holds on 2 of 3 hosts, refuted on 1" in done.stdout
    assert "refuted, gamma: " in done.stdout
    assert "! delta: MISSING" in done.stdout
    files = sorted(folder.glob("*.jsonl"))
    assert "holds on 2 of 3 hosts" in iogauge("claims", *files).stdout


def test_claims_of_two_files_of_one_host_are_refused(fake, tmp_path, iogauge):
    folder = fleet_runs.write(tmp_path / "f", {"a": with_claims(fake, "a", (1.0, 1.0, 1.0))})
    (path,) = folder.glob("*.jsonl")
    done = iogauge("claims", path, path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.fixture
def may_be_advised(monkeypatch):
    monkeypatch.setattr(hints, "all_names", lambda: {"fake/steady"})
    monkeypatch.setattr(hints, "of_case", lambda case: f"read({case.parameters['speed']})")


def test_advice_is_what_holds_on_most_hosts(fake, tmp_path, may_be_advised, iogauge):
    folder = fleet(fake, tmp_path, "fleet", times={"gamma": (4.0, 0.5, 1.0)})
    done = iogauge("advise", folder, "--size", "64K", "--language", "fake")
    assert done.returncode == 0, done
    assert "over 3 hosts" in done.stdout
    assert "on 2 of 3 hosts" in done.stdout
    assert "not on: gamma" in done.stdout
    found = json.loads(
        iogauge("advise", folder, "--size", "64K", "--language", "fake", "--json").stdout
    )
    (question,) = found["questions"]
    assert question["holds"] == "some"
    assert question["code"] == "read(10)"
    assert "    read(10)\n" in done.stdout
    none = iogauge("advise", folder, "--operation", "copy", "--language", "fake")
    assert none.returncode == 1
    assert "None of these runs" in none.stdout


def test_show_as_json_has_hosts_and_costs(fake, tmp_path, iogauge):
    folder = fleet(fake, tmp_path, "fleet", times={"gamma": (4.0, 0.5, 1.0)})
    found = json.loads(iogauge("show", folder, "--json").stdout)
    assert found["iogauge_hosts"] == 1
    assert [each["name"] for each in found["hosts"]] == list(THREE)
    (question,) = found["questions"]
    kinds = {each["host"]: each["kind"] for each in question["hosts"]}
    assert kinds == {"alpha": "holds", "beta": "holds", "gamma": "costs more"}
    gamma = next(each for each in question["hosts"] if each["host"] == "gamma")
    assert gamma["costs"][question["use"]]["ratio"] == pytest.approx(4, rel=0.1)
    for option in ("--details", "--profile"):
        done = iogauge("show", folder, option)
        assert (done.returncode, option in done.stderr) == (2, True)


def test_history_names_hosts_and_tells_a_change_on_several_once(fake, tmp_path):
    for day in range(24):
        for host in THREE:
            slower = day >= 12 and host != "gamma"
            histories.write(
                fake,
                tmp_path / f"fleet-{day:02}" / f"{host}.study.jsonl",
                [1000, 2000 * (1.4 if slower else 1)],
                day=day,
                host=histories.HOST | {"identity": host, "name": host},
            )
    index = indexing.up_to_date(tmp_path).index
    database = Database(index)
    found = History(index, database.series(), database.copies)
    (event,) = found.events
    assert event.hosts == ["alpha", "beta"]
    assert event.cases == 1
    text = "\n".join(str(each) for each in history_screen.screen(found).renderables)
    assert "on alpha and beta" in text
    assert "from fleet-11 to fleet-12" in text
    assert "(gamma, test)" in text
    names = database.ask("SELECT DISTINCT host_name FROM cases ORDER BY 1").rows
    assert names == [(each,) for each in THREE]
