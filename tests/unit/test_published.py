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
WRITES = {
    "block": "java/published-file-output-stream",
    "buffered": "java/published-buffered-output-stream-byte",
    "byte": "java/published-file-output-stream-byte",
}
S3 = {
    "MemoryIOBenchmark.byteStreamWrite": "java/memory-byte-stream-write",
    "MemoryIOBenchmark.byteStreamRead": "java/memory-byte-stream-read",
    "MemoryIOBenchmark.charStreamWrite": "java/memory-char-stream-write",
    "MemoryIOBenchmark.charStreamRead": "java/memory-char-stream-read",
    "MemoryIOBenchmark.bufferedStreamWrite": "java/memory-buffered-stream-write",
    "MemoryIOBenchmark.bufferedStreamRead": "java/memory-buffered-stream-read",
    "FileIOBenchmark.byteStreamRead": "java/file-input-stream-byte",
    "FileIOBenchmark.byteStreamWrite": "java/file-output-stream",
    "FileIOBenchmark.charStreamRead": "java/file-reader-char",
    "FileIOBenchmark.charStreamWrite": "java/file-writer",
    "FileIOBenchmark.bufferedStreamRead": "java/buffered-reader-line",
    "FileIOBenchmark.bufferedStreamWrite": "java/buffered-writer",
}
S4 = {
    "FileInputStream": "java/published-file-input-stream",
    "BufferedInputStream": "java/published-buffered-input-stream",
    "fileChannelOpen": "java/published-locked-file-channel-heap",
    "fileChannelOpenDirectBuffer": "java/published-locked-file-channel-direct",
    "fileChannelByteBuffer": "java/published-locked-stream-channel-heap",
    "FileChannelDirectByteBuffer": "java/published-locked-stream-channel-direct",
    "FileChannelMappedByteBuffer": "java/published-locked-stream-channel-mapped",
    "FileChannelOpenMappedByteBuffer": "java/published-locked-file-channel-mapped",
    "SeekableByteChannel": "java/published-byte-channel-heap",
    "SeekableByteChannelDirectBuffer": "java/published-byte-channel-direct",
    "FilesReadAllBytes": "java/published-read-all-bytes",
}


def place(row: dict[str, str]) -> tuple[str, str, int | None]:
    """The study's table, strategy and row of a transcribed cell."""
    name = row["experiment"]
    if name == "S1a":
        return "S1a", WRITES[row["column"]], int(row["row"][:-1]) * K[row["row"][-1]]
    if name.startswith("S1"):
        return name, WRITES[row["column"]], int(row["row"])
    if name.startswith("S2"):
        strategy = {"buffered": "java/buffered-writer", "filewriter": "java/file-writer"}[
            row["column"]
        ]
        return (
            {"S2a": "S2, buffer of 4 MiB", "S2b": "S2, default buffer"}[name],
            strategy,
            20 * int(row["row"]),
        )
    if name.startswith("S3"):
        return "S3", S3[row["row"]], None
    return "S4", S4[row["column"]], int(row["row"])


@pytest.mark.parametrize("document", STUDIES)
def test_every_published_number_is_as_printed(document):
    transcribed = {}
    for row in csv.DictReader((TRANSCRIBED / f"{document}.csv").read_text().splitlines()):
        value = 1e-4 if row["value"] == "~1e-4" else float(row["value"])
        transcribed[place(row)] = (
            value,
            float(row["error"]) if row["error"] else None,
            row["unit"].removesuffix("/op"),
        )
    ours = {}
    for cell in printed.cells(loading.load(STUDIES[document])):
        table = next(
            name for name in {key[0] for key in transcribed} if cell.table.startswith(name)
        )
        key = (table, cell.strategy, cell.row)
        assert key not in ours
        ours[key] = (cell.value, cell.error, cell.unit)
        assert cell.approximate == (cell.value == 1e-4)
    assert ours == {
        key: (value, error, "ops/ms" if unit == "ops/ms" else unit)
        for key, (value, error, unit) in transcribed.items()
    }


def test_no_published_number_is_missing():
    found: Counter[str] = Counter()
    for name in STUDIES.values():
        for cell in printed.cells(loading.load(name)):
            found[cell.table[:3] if cell.table.startswith("S1") else cell.table[:2]] += 1
    assert found == COUNTS and found.total() == 235


def test_the_documents_have_thirty_claims_and_two_open_questions_and_one_is_ours():
    claims = [
        claim
        for name in (*STUDIES.values(), "go-read-four-ways")
        for claim in loading.load(name).claim
    ]
    assert Counter(claim.basis == "question" for claim in claims) == {False: 30, True: 3}, (
        "ours: the second document's conclusions where no write waits"
    )


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
    assert printed_error(ten, "ns") == pytest.approx(4.781 * 3.02765 / math.sqrt(10), rel=1e-3)
    assert printed_error(ten * 1e6, "ms") == pytest.approx(printed_error(ten, "ns"))
    assert printed_error(1e6 / ten, "ops/ms") == pytest.approx(printed_error(ten, "ns")), (
        "of the rates, not of the times"
    )
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
