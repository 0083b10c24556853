"""Many hosts: does what is recommended hold, and with which facts does it go? Runs with known truth."""

import pytest
from rich.console import Console

from iogauge.analysis import hosts, report
from iogauge.outputs import hosts as told
from iogauge.outputs.html import hosts as page
from tests.separate_runs import a_run, with_host

# The ways take 10, 20 and 40 ms times these.
FIRST_BEST, SECOND_BEST, ALIKE = (1.0, 1.0, 1.0), (2.0, 0.5, 1.0), (1.0, 0.5, 1.0)


def over(fake, **of_hosts):
    """By host: the times of its ways, and facts about it."""
    runs = [
        a_run(fake, name, times=times, change=with_host(name=name, **facts))
        for name, (times, facts) in of_hosts.items()
    ]
    return hosts.of_reports(map(report.make, runs))


def text(found, **more):
    document = told.OverHostsDocument("fleet-1", found, **more)
    console = Console(width=80, no_color=True)
    with console.capture() as capture:
        console.print(told.render(document))
    return capture.get()


def test_what_holds_on_all_hosts_is_said_so(fake):
    found = over(fake, **{f"h{n}": (FIRST_BEST, {}) for n in range(4)})
    (one,) = found.sets
    assert one.holds == "all"
    assert one.counts == {"holds": 4}
    assert one.use and one.use.name == "steady, speed 10"
    assert "on all 4 hosts" in text(found)
    assert one.worst is None or one.worst.cells[one.use.key].cost == 1


def test_where_it_does_not_hold_is_named_with_what_is_better_there(fake):
    found = over(
        fake, **{f"h{n}": (FIRST_BEST, {}) for n in range(4)}, odd=(SECOND_BEST, {"kernel": "5.4"})
    )
    (one,) = found.sets
    assert one.holds == "some"
    assert one.counts == {"holds": 4, "costs more": 1}
    (odd,) = [each for each in one.hosts if each.kind == "costs more"]
    assert odd.host == "odd"
    assert odd.sure
    assert one.worst == odd
    shown = text(found)
    assert "on 4 of 5 hosts" in shown
    assert "not on: odd" in shown
    assert "worst host: odd" in shown


def noisy(fake, second, scatter):
    """Two hosts on which nothing is sure; the second way takes `second` times its time."""
    runs = [
        a_run(
            fake,
            name,
            times=(1.0, second, 1.0),
            scatter=scatter,
            replicates=4,
            change=with_host(name=name),
        )
        for name in "ab"
    ]
    return hosts.of_reports(map(report.make, runs))


def test_a_host_is_the_worst_only_where_that_is_sure(fake):
    found = noisy(fake, 0.55, scatter=0.4)
    (one,) = found.sets
    cell = one.worst.cells[one.use.key]
    assert cell.cost > 1.1
    assert cell.lo == 1
    assert "worst host" not in text(found)


def test_where_none_is_sure_the_cheapest_is_named(fake):
    found = noisy(fake, 0.47, scatter=0.2)
    (one,) = found.sets
    assert one.holds == "none"
    assert one.use.name == "steady, speed 20", "though it is not the simplest"
    assert "for now: sure on none of 2 hosts" in " ".join(text(found).split())


def test_where_it_is_undecided_it_says_how_much_time_would_likely_decide(fake):
    runs = [a_run(fake, name, times=FIRST_BEST, change=with_host(name=name)) for name in "abc"]
    noisy = {"times": (1.0, 0.52, 1.0), "scatter": 0.08, "replicates": 4}  # 4 s
    runs.append(a_run(fake, "noisy", **noisy, change=with_host(name="noisy")))
    found = hosts.of_reports(map(report.make, runs))
    (undecided,) = [each for each in found.sets[0].hosts if each.kind == "undecided"]
    assert 4 < undecided.budget < 40
    assert "undecided on: noisy (--budget 40s would likely decide)" in text(found)
    assert {each.budget for each in found.sets[0].hosts} == {None, undecided.budget}


def test_a_way_that_is_good_enough_everywhere_beats_one_that_most_would_use(fake):
    """A host that finds two alike takes the simpler one; the other holds on all."""
    found = over(fake, a=(ALIKE, {}), b=(ALIKE, {}), c=(SECOND_BEST, {}))
    (one,) = found.sets
    assert one.holds == "all"
    assert {each.use for each in one.hosts} == {one.use.key, one.hosts[0].use}


def test_the_ratio_over_hosts_holds_the_truth_and_goes_with_the_file_system(fake):
    many = {
        **{f"e{n}": (SECOND_BEST, {"file_system": "ext4", "virtual": n % 2}) for n in range(4)},
        **{f"t{n}": (FIRST_BEST, {"file_system": "tmpfs", "virtual": n % 2}) for n in range(4)},
    }
    (one,) = over(fake, **many).sets
    assert one.rival
    (fact,) = [each for each in one.goes_with if "file system" in each.facts]
    values = {value[0]: ratio.center for value, ratio in fact.parts}
    assert set(values) == {"ext4", "tmpfs"}
    assert abs(values["ext4"] - values["tmpfs"]) == pytest.approx(1.3863, abs=0.02)  # log 4
    assert not any("virtual" in each.facts for each in one.goes_with)
    assert "file system" in text(over(fake, **many))


def test_absolute_times_of_hosts_never_meet(fake):
    """A host that is a hundred times as slow changes nothing."""
    runs = [
        a_run(fake, name, pace=pace, change=with_host(name=name))
        for name, pace in (("fast", 1.0), ("slow", 100.0), ("other", 3.0))
    ]
    (one,) = hosts.of_reports(map(report.make, runs)).sets
    assert one.holds == "all"
    assert all(ratio.spread < 0.01 for ratio in one.over_use.values())


def test_a_host_whose_control_differs_has_no_answer(fake):
    runs = [a_run(fake, name, change=with_host(name=name)) for name in ("a", "b")]
    runs.append(a_run(fake, "c", control=1.3, change=with_host(name="c")))
    (one,) = hosts.of_reports(map(report.make, runs)).sets
    assert one.counts == {"holds": 2, "no answer": 1}
    assert one.holds == "all"
    found = hosts.of_reports(map(report.make, runs))
    assert "on 2 of 3 hosts" in text(found)
    assert "no answer on: c (identical code differed)" in text(found)


def test_of_two_runs_of_a_host_the_newer_one_counts(fake):
    old = a_run(fake, "old", times=SECOND_BEST, change=with_host(name="a"))
    new = a_run(fake, "old ", change=with_host(name="a"))
    new.header = new.header.model_copy(update={"started": "2027-01-01T00:00:00+00:00"})
    found = hosts.of_reports(map(report.make, [new, old]))
    assert found.names == ["a"]
    assert found.runs[0].started == new.header.started


def test_hosts_without_an_answer_are_not_invented(fake):
    runs = [a_run(fake, name, replicates=1, change=with_host(name=name)) for name in ("a", "b")]
    (one,) = hosts.of_reports(map(report.make, runs)).sets
    assert one.use is None
    assert one.holds == "unknown"
    found = text(hosts.of_reports(map(report.make, runs)))
    why = "(too few repeats; --budget 10s would bring enough)"
    assert f"no answer on any host {why}" in " ".join(found.split())
    shown = page.render(told.OverHostsDocument("x", hosts.of_reports(map(report.make, runs))))
    assert "no answer on any host" in shown
    assert '<table class="heat' not in shown


def test_what_is_missing_is_told(fake):
    found = over(fake, a=(FIRST_BEST, {}))
    assert "nfs-3: no worker" in text(found, missing={"nfs-3": "no worker of this host is there"})


def test_many_hosts_that_agree_are_told_together(fake):
    of_hosts = {f"n{number:02}": (FIRST_BEST, {"file_system": "ext4"}) for number in range(20)}
    of_hosts |= {f"o{number:02}": (SECOND_BEST, {"file_system": "nfs4"}) for number in range(9)}
    found = over(fake, **of_hosts)
    shown = " ".join(text(found).split())
    assert "on 20 of 29 hosts" in shown
    assert "not on: o00, o01, o02, o03, o04, o05 and 3 more (steady, speed 20 is better" in shown
    assert "under 0.0001 %" in shown
    html = page.render(told.OverHostsDocument("fleet-1", found))
    assert html.index(">9 hosts</th>") < html.index(">20 hosts</th>") < html.index(">o00</th>")
    assert html.index(">o08</th>") < html.index(">n00</th>")  # those that differ come first
    assert "file system ext4" in html[: html.index(">9 hosts</th>")]


def test_the_page_of_very_many_hosts_stays_small(fake, monkeypatch):
    monkeypatch.setattr(page, "MOST_CELLS", 90)
    monkeypatch.setattr(page, "_MOST_FACTS", 7)
    found = over(fake, **{f"n{number:02}": (FIRST_BEST, {}) for number in range(40)})
    html = page.render(told.OverHostsDocument("fleet-1", found))
    assert html.count('<tr><th scope="row">n') == 30 + 7
    assert "10 more hosts" in html
    assert "33 more hosts were measured" in html


def test_of_many_reasons_why_something_is_missing_the_first_are_told(fake):
    found = over(fake, a=(FIRST_BEST, {}))
    missing = {f"h{number}": f"reason {number}" for number in range(20)}
    shown = text(found, missing=missing)
    assert "h7: reason 7" in shown
    assert "h8" not in shown
    assert "12 more reasons" in shown
    html = page.render(told.OverHostsDocument("fleet-1", found, missing))
    assert "<summary>not complete: h0; h1" in html


def test_the_page_has_a_row_for_each_host_and_escapes_what_runs_say(fake):
    found = over(fake, a=(FIRST_BEST, {}), b=(SECOND_BEST, {"labels": {"disk": "<script>x"}}))
    shown = page.render(told.OverHostsDocument("fleet-1", found, {"<b>": "gone"}))
    assert shown.count('<tr><th scope="row">a</th>') == 2  # in the heat map, and among the hosts
    assert "<script>" not in shown
    assert "&lt;script&gt;x" in shown
    assert "&lt;b&gt;" in shown
    assert shown.index("heat") < shown.index("The hosts")
    assert "<h1>fleet-1: on-the-fake on a and b, measured in" in shown
    assert shown.count("<title>fleet-1</title>") == 1
