"""The numbers in the sentence of a claim, beside those that its tests ask for."""

from __future__ import annotations

import pytest

from iogauge.claims.checking import disagreement
from iogauge.study.schema import Claim


def claim(says: str, *tests: dict) -> Claim:
    usual = {"kind": "faster-than", "cases": "x/a", "than": "x/b"}
    return Claim(
        id="c", says=says, test=[each if "kind" in each else usual | each for each in tests]
    )


PLATEAU = {"kind": "plateau", "cases": "x/a", "along": "block", "beyond": 2048}


@pytest.mark.parametrize(
    ("says", "test"),
    [
        ("A is about eight times as fast.", {"factor": [8]}),
        ("A is about 8 times as fast.", {"factor": [7]}),
        ("A is about 8 times as fast.", {"factor": [4, 16]}),
        ("A is 8x faster.", {"factor": [8]}),
        ("A is 8× as fast.", {"factor": [8]}),
        ("A is 3 to 5 times as fast.", {"factor": [3, 5]}),
        ("An eight-fold gain.", {"factor": [8]}),
        ("A takes half as long: it is twice as fast.", {"factor": [2]}),
        ("A is much faster. (Tested: 1.5 times.)", {"factor": [1.5]}),
        ("A is 50 times as fast. (Tested: 4 times.)", {"factor": [4]}),
        ("A is 10 % faster.", {"factor": [1.1]}),
        ("A is about 10 % faster.", {"factor": [1.05, 1.25]}),
        ("Nothing beyond gains more than 5 %.", PLATEAU),
        ("Nothing beyond gains more than 10%.", {**PLATEAU, "margin": "10%"}),
        ("With blocks of 16 bytes or 4 KiB, A is faster.", {}),
        ("It is read in 1024 or 2048 bytes, on JDK 17.", {}),
        ("It does it eight times.", {"kind": "remark", "answer": "so it does"}),
    ],
)
def test_a_sentence_agrees_with_its_test(says, test):
    assert disagreement(claim(says, test)) is None


@pytest.mark.parametrize(
    ("says", "test", "said", "asked"),
    [
        ("A is about eight times as fast.", {"factor": [4]}, "eight times", "a factor of 4"),
        ("A is 8 times as fast.", {"factor": [2, 20]}, "8 times", "a factor of 2 to 20"),
        ("A is 8 times as fast.", {}, "8 times", "no number"),
        ("A is 3 to 9 times as fast.", {"factor": [3, 5]}, "3 to 9 times", "a factor of 3 to 5"),
        ("A is far faster. (Tested: 8 times.)", {"factor": [4]}, "8 times", "a factor of 4"),
        ("Nothing beyond gains more than 20 %.", PLATEAU, "20 %", "a margin of 5 %"),
        ("A is 50 % faster.", {"factor": [1.1]}, "50 %", "a factor of 1.1"),
    ],
)
def test_a_sentence_that_says_another_number_than_its_test_is_told(says, test, said, asked):
    assert disagreement(claim(says, test)) == f"says {said!r}, but its tests ask for {asked}"


def test_one_test_that_asks_for_the_number_is_enough():
    assert disagreement(claim("A is 8 times as fast.", {}, {"factor": [8]})) is None
