"""What functions of the user's return is compared."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from iogauge.measuring.sampling import Results, _may_have_read
from iogauge.runfile.records import decode
from tests.scripts import module_at


class Cases(dict):
    """By number; `sums` and names as strategies have them."""

    def strategy(self, case):
        return SimpleNamespace(sums=self[case].sums, known_as=self[case].name)


def cases(*names, sums="nothing", setting="python-1"):
    same = {"sums": sums, "setting": setting}
    made = [SimpleNamespace(doubled_key=each, name=each, variant=each, **same) for each in names]
    return Cases(enumerate(made))


def told(of, *seen):
    """The warnings after these results, as (case, number): case, text and kind."""
    said = []
    recorder = SimpleNamespace(
        caveat=lambda about, text, part, kind: said.append((about, text, kind))
    )
    results = Results(of, recorder)
    for case, number in seen:
        results.seen(0, case, SimpleNamespace(sum=None if number is None else [number]), None)
    return said


def test_another_result_is_told_once_of_each_case():
    found = told(cases("a", "b", "c"), (0, 5), (1, 6), (2, 5), (0, 5), (1, 6), (0, 5), (1, 6))
    assert found == [("b", "it returns a different result from a", "other-result")]


def test_a_version_is_named_with_its_runtime():
    of = cases("f", "f")
    of[0].doubled_key, of[1].doubled_key, of[1].setting = "f @old", "f @new", "python-new"
    text = "it returns a different result from f of python-1"
    assert told(of, *[(0, 5), (1, 6)] * 2) == [("f @new", text, "other-result")]


def test_a_result_that_changes_is_told():
    text = "it does not return the same each time"
    assert told(cases("a"), (0, 5), (0, 6)) == [("a", text, "changing-result")]


def test_one_that_differs_from_its_control_changes_and_is_compared_with_nothing():
    of = cases("a", "a", "b", "c")
    text, other = "it does not return the same each time", "it returns a different result from b"
    found = told(of, (0, 5), (2, 7), (1, 6), (3, 9), (2, 7), (0, 8), (3, 9))
    assert found == [("a", text, "changing-result"), ("c", other, "other-result")]
    found = told(cases("a", "b"), (0, 5), (1, 6), (1, 7), (0, 5))
    assert found == [("b", text, "changing-result")], "it differs from a by chance"


@pytest.mark.parametrize(
    ("evidence", "reads"),
    [
        ({"rchar": 90, "minor_faults": 3}, False),
        ({"rchar": 190, "minor_faults": 3}, True),
        ({"rchar": 90, "minor_faults": 100}, True),
        ({"rchar": None, "minor_faults": 0}, True),
        ({"rchar": 90, "minor_faults": 0, "read_bytes": 4096}, True),
    ],
)
def test_what_reads_nothing_is_compared_with_nothing(evidence, reads):
    spans = SimpleNamespace(operations=[50, 50])
    seen = SimpleNamespace(evidence=evidence, spans=spans, request_bytes=90)
    assert _may_have_read(seen) == reads


def test_what_cannot_be_compared_or_is_checked_otherwise_is_not():
    assert told(cases("a", "b"), (0, None), (1, 6), (0, None)) == []
    assert told(cases("a", "b", sums="byte"), (0, 5), (1, 6)) == []


@pytest.fixture(scope="module")
def number_of():
    harness = Path(__file__).parents[2] / "runners" / "python" / "harness"
    return module_at(harness / "results.py").number_of


def test_the_same_result_has_the_same_number_in_another_order_too(number_of):
    assert number_of(9611) == number_of(9611) != number_of(9612)
    assert number_of(0.1 + 0.2) == number_of(0.3) != number_of(0.31)
    assert number_of({"a": 1, "b": [2, 3.5]}) == number_of({"b": [2, 3.5], "a": 1})
    assert number_of("x") != number_of(b"y") and number_of(None) != number_of(0)
    assert number_of((1, 2)) == number_of([1, 2])


@pytest.mark.parametrize("thing", [object(), iter([1]), [object()], list(range(20_000)), {1: {2}}])
def test_what_has_no_number(number_of, thing):
    assert number_of(thing) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("it returns something else than f of python-1", "other-result"),
        ("it does not return the same each time", "changing-result"),
        ("the CPU quota is 0.5 of a core: the kernel stops everything", "cpu-quota"),
        ("the CPU quota stopped the processes of iogauge's control group 9 times", "cpu-quota"),
        ("this processor takes 6.5 times as long to read into memory", "slow-alignment"),
        ("a cloud passed", None),
    ],
)
def test_caveats_of_format_6_get_a_kind(text, kind):
    line = f'{{"record":"caveat","about":"run","text":"{text}"}}'.encode()
    assert decode(line, format6=True).kind == kind
    assert decode(line).kind is None
