"""Nothing is dropped without a line that says so."""

from __future__ import annotations

from iogauge.analysis import accounting
from iogauge.analysis.accounting import Unused
from iogauge.model.plan import ReplicateId, Skipped
from iogauge.outputs import details
from iogauge.outputs.document import Document
from iogauge.runfile.records import Failure, Fork, in_part
from tests.reports import on_console
from tests.runs import add_sample, empty_run, end_replicate, replanned

MS = 1_000_000


def a_run(fake):
    """Case 1 is far slower, void once, and eliminated; case 2 (the control) fails; the last replicate is
    cut short.
    """
    run = empty_run(fake, 10, 100, rounds=2)
    for replicate in range(5):
        for number in range(2):
            for case, ns in ((0, MS), (1, 10 * MS), (2, MS)):
                wet = "12288 bytes came from the device"
                void = wet if (case, replicate, number) == (1, 0, 1) else None
                if case != 1 or replicate < 3:
                    add_sample(run, case, replicate, number, case, [ns], void=void)
        if replicate < 4:
            end_replicate(run, replicate, [0, 1, 2] if replicate < 3 else [0, 2])
    where = in_part(ReplicateId(0, 4, 0), 0)
    nothing = {"warm_up": {}, "alone": {}, "steady": {}}
    run.add(Fork(**where, fork=13, spec=0, layout=0, padding=0, **nothing))
    run.add(Failure(**where, case=2, reason="wrong sum", fork=1))
    return run


CONTROL, SLOW = (
    f"fakes: fake/steady 0/{each}" for each in ("10 @fake-1.0 (A/A control)", "100 @fake-1.0")
)


def test_every_sample_is_used_or_has_a_reason(fake):
    run, cut = a_run(fake), "its replicate was cut short (session 1)"
    found = accounting.make(run)
    assert found.samples == len(run.samples) == 2 * (3 * 3 + 2 * 2)
    assert found.used + sum(each.count for each in found.unused_samples) == found.samples
    assert found.unused_samples == (
        Unused("fakes: fake/steady 0/10 @fake-1.0", 2, cut),
        Unused(SLOW, 1, "void: 12288 bytes came from the device"),
        Unused(CONTROL, 8, "its case failed: wrong sum"),
        Unused(CONTROL, 2, cut),
    )


def test_every_case_was_measured_in_each_replicate_or_has_a_reason(fake):
    found = accounting.make(a_run(fake)).not_measured
    assert len(found) == 3 and {*found} == {
        Unused(SLOW, 1, "far behind, so not measured to the end"),
        Unused(CONTROL, 0, "failed: wrong sum"),
        Unused("replicate 5", 1, "cut short (session 1)"),
    }


def test_a_case_whose_fork_could_not_go_on_is_told(fake):
    run = empty_run(fake, 10, 20, rounds=2)
    for replicate in range(2):
        for case in (0, 1, 2):
            if (case, replicate) != (1, 1):
                add_sample(run, case, replicate, 0, case, [MS])
        end_replicate(run, replicate)
    assert accounting.make(run).not_measured == (
        Unused("fakes: fake/steady 0/20 @fake-1.0", 1, "its fork could not go on"),
    )


def test_a_clean_run_has_nothing_to_tell(fake):
    run = empty_run(fake, 10, 20, rounds=2)
    for number in range(2):
        for case in range(3):
            add_sample(run, case, 0, number, case, [MS])
    end_replicate(run, 0)
    found = accounting.make(run)
    assert (found.samples, found.used, found.unused_samples, found.not_measured) == (6, 6, (), ())


def test_what_the_plan_left_out_is_told(fake):
    run = replanned(empty_run(fake, 10, 20), skipped=(Skipped(what="go/*", why="no Go here"),))
    assert Unused("go/*", 0, "no Go here") in accounting.make(run).not_measured


def test_it_is_told_in_80_columns(fake):
    text = on_console(details.render(Document(a_run(fake))))
    assert "26 samples of 13 forks, 13 of them used" in text
    assert "session 1" in text and max(map(len, text.splitlines())) <= 80
