"""The contract of docs/wire.md, for every runner whose toolchain is here, and for the fake one."""

from __future__ import annotations

import pytest

from iogauge import conformance, runners

FAULTY_BY_DESIGN = ("fake/steady", "fake/null", "fake/absent", "fake/spoilt")  # the fake's other strategies break the contract on purpose


def _subjects() -> list[conformance.Subject]:
    """Every runtime found: a runner that works on one version of its language has to work on all of them."""
    subjects = []
    for runner in runners.all_runners():
        found = [] if runners.prepare({}, print, [runner])[1] else runners.installed(runner)
        for each in found:
            subjects += [conformance.Subject(ready) for ready in runners.prepare({runner.name: [str(each.executable)]}, print, [runner])[0]]
    return list({subject.ready.runtime.name: subject for subject in subjects}.values())


SUBJECTS = _subjects()
CHECKS = [
    pytest.param(check, id=f"{subject.ready.runtime.name}: {check.name}")
    for subject in SUBJECTS
    for check in conformance.checks(subject)
    if subject.ready.runtime.runner != "fake" or "fake/" not in check.name or check.name.startswith(FAULTY_BY_DESIGN)
]


@pytest.fixture(scope="module", autouse=True)
def end_of_subjects():
    yield
    for subject in SUBJECTS:
        subject.close()


@pytest.mark.parametrize("check", CHECKS)
def test_contract(check):
    check.run()


def test_a_real_language_is_examined():
    assert {subject.ready.runtime.runner for subject in SUBJECTS} - {"fake"}


@pytest.mark.parametrize("fault", ["wrong-sum", "wrong-count", "too-few-samples", "garbage", "chatty", "dies", "refuses"])
def test_the_suite_finds_faults(fake, fault):
    """Each fault of the fake runner breaks at least one check of its strategy."""
    subject = conformance.Subject(fake)
    try:
        broken = []
        for check in conformance.checks(subject):
            if check.name.startswith(f"fake/{fault}: reads"):
                try:
                    check.run()
                except (conformance.Broken, conformance.Refusal, conformance.WireError) as error:
                    broken.append(str(error))
        assert len(broken) == 3 if fault not in ("wrong-sum",) else len(broken) >= 2
    finally:
        subject.close()
