"""The published numbers in the studies, against a transcription that was made from the documents
independently of them.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from iogauge.claims import printed
from iogauge.claims.comparable import matches
from iogauge.claims.measured import printed_error
from iogauge.study import loading

TRANSCRIBED = Path(__file__).parents[1] / "published"
STUDIES = {
    "s1": "java-stream-writes-2018",
    "s2": "filewriter-bufferedwriter-jmh",
    "s3": "kotlin-java-io-2023",
    "s4": "java-read-eleven-ways",
}
COUNTS = {"S1a": 21, "S1b": 9, "S1c": 15, "S1d": 30, "S1e": 18, "S2": 20, "S3": 12, "S4": 110}
K = {"K": 1 << 10, "M": 1 << 20}
TABLES = {"S2a": "S2, buffer of 4 MiB", "S2b": "S2, default buffer"}


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((TRANSCRIBED / f"{name}.csv").read_text().splitlines()))


STRATEGIES = {(each["document"], each["name"]): each["strategy"] for each in rows("strategies")}


def place(row: dict[str, str]) -> tuple[str, str, int | None]:
    """The study's table, strategy and row of a transcribed cell."""
    name, at, document = row["experiment"], row["row"], row["experiment"][:2]
    if document == "S3":
        return document, STRATEGIES[document, at], None
    strategy = STRATEGIES[document, row["column"]]
    number = int(at[:-1]) * K[at[-1]] if at[-1] in K else int(at)
    return TABLES.get(name, name), strategy, 20 * number if document == "S2" else number


@pytest.mark.parametrize("document", STUDIES)
def test_every_published_number_is_as_printed(document):
    transcribed, ours = {}, {}
    for row in rows(document):
        value = 1e-4 if row["value"] == "~1e-4" else float(row["value"])
        unit = row["unit"] if row["unit"] == "ops/ms" else row["unit"].removesuffix("/op")
        transcribed[place(row)] = value, float(row["error"]) if row["error"] else None, unit
    tables = {table for table, _, _ in transcribed}
    for cell in printed.cells(loading.load(STUDIES[document])):
        (table,) = (name for name in tables if cell.table.startswith(name))
        assert (table, cell.strategy, cell.row) not in ours
        ours[table, cell.strategy, cell.row] = cell.value, cell.error, cell.unit
        assert cell.approximate == (cell.value == 1e-4)
    assert ours == transcribed


def test_no_published_number_is_missing():
    cells = [cell for name in STUDIES.values() for cell in printed.cells(loading.load(name))]
    found = Counter(each.table[: 3 if each.table.startswith("S1") else 2] for each in cells)
    assert found == COUNTS and found.total() == 235


def test_the_documents_have_thirty_claims_and_two_open_questions_and_one_is_ours():
    """Ours: the second document's conclusions where no write waits."""
    studies = [loading.load(name) for name in (*STUDIES.values(), "go-read-four-ways")]
    asked = Counter(claim.basis == "question" for each in studies for claim in each.claim)
    assert asked == {False: 30, True: 3}


def test_each_publication_is_measured_with_files_as_its_authors_had_them():
    """How the file came into the cache. Sparse files and those above 10^9 bytes are read."""
    for name, state in {
        "kotlin-java-io-2023": "write-small",
        "java-read-eleven-ways": "write-small",
        "go-read-four-ways": "write-large",
    }.items():
        tables = [each for each in loading.load(name).group if each.protocol == "published"]
        read = [each for each in tables if each.operation == "read" and each.medium == "file"]
        usual = [each for each in read if each.content != ["sparse"] and min(each.size) < 10**9]
        found = {each.id: each.axes()["cached_by"] for each in usual}
        assert found and set(map(tuple, found.values())) == {(state,)}, name


@pytest.mark.parametrize("of", loading.built_in(), ids=lambda each: each.id)
def test_a_claim_is_judged_in_one_state_of_the_cache_which_is_measured_everywhere(of):
    """Where all states are alike, only the first is measured."""
    for table in of.group:
        states = table.axes()["cached_by"]
        for chosen in table.combinations() if len(states) > 1 else ():
            if chosen["cache"] == "warm" and chosen["cached_by"] != states[0]:
                other = table.identifier(chosen)
                for test in (test for claim in of.claim for test in claim.test):
                    compared = test.kind != "remark" and matches(other, test.groups)
                    assert not compared, f"{other}: {test.groups}"


def test_what_a_publication_measured_twice_tells_how_far_it_can_be_trusted():
    """The repeated cells of S1 differ by up to 13 % (19 % with those of 4 MiB in two tables); S4
    has a stream with a buffer that is never used beside the one without.
    """
    spread = printed.repeated_spread(loading.load("java-stream-writes-2018"))
    assert spread.degrees >= 24 and 0.02 < spread.sd < 0.06
    assert printed.repeated_spread(loading.load("java-read-eleven-ways")).degrees == 10
    assert printed.repeated_spread(loading.load("kotlin-java-io-2023")) is None


def test_what_looks_like_an_outlier_is_shown_and_nothing_rests_on_it():
    of = loading.load("java-stream-writes-2018")
    (cell,) = [each for each in printed.cells(of) if each.doubtful]
    assert cell.value == 228.16 and cell.row == 32768
    (table,) = [each for each in printed.comparables(of) if each.group == cell.group]
    assert cell.variant not in {entry.variant for entry in table.entries}
    assert len(table.entries) == 17, "its neighbours are there"


def test_the_error_beside_a_mean_is_the_one_that_jmh_prints():
    """Half of the 99.9 % interval: t of nine degrees at 0.9995 is 4.781."""
    ten = np.arange(1.0, 11.0)
    error = printed_error(ten, "ns")
    assert error == pytest.approx(4.781 * 3.02765 / math.sqrt(10), rel=1e-3)
    assert printed_error(ten * 1e6, "ms") == pytest.approx(error)
    assert printed_error(1e6 / ten, "ops/ms") == pytest.approx(error), "of the rates"
    assert printed_error(ten[:2], "ns") is None


def test_a_published_number_may_be_of_the_whole_file_in_one_call():
    study = loading.parse(
        """
        id = "s"
        title = "T"
        published_protocol = { operations = 1 }
        [[group]]
        id = "g"
        question = "?"
        protocol = "published"
        size = ["1M", "2M"]
        case = [{ strategy = "go/file-read", parameters = { block = "size" } }]
        [[published]]
        table = "T1"
        group = "g"
        strategy = "go/file-read"
        parameters = { block = "size" }
        along = "size"
        unit = "ms"
        values = [["1M", 3], ["2M", 5]]
        """,
        "s.toml",
    )
    blocks = [(each.size, each.parameters) for each in printed.cells(study)]
    assert blocks == [(1 << 20, {"block": 1 << 20}), (2 << 20, {"block": 2 << 20})]
