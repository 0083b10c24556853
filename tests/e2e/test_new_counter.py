"""A counter is one entry in model/figures.py: in a copy of the package that declares five more, of
every part and of a file of /proc that no other counter needs, and with a runner that counts one of
them, they arrive everywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import iogauge

PACKAGE, TESTS = Path(iogauge.__file__).parent, Path(__file__).parents[1]
ENTRIES = """
    Figure("cancelled_bytes_per_op", "bytes", "per operation", "taken back",
           Counter("cancelled", "evidence", "io", "cancelled_write_bytes"), claimed=True),
    Figure("waited_ns_per_op", "ns", "per operation", "time that it waited for a processor",
           Counter("waited_ns", "evidence", "schedstat", "2")),
    Figure("device_reads_per_op", "count", "per operation", "requests to read",
           Counter("reads", "device", "the device", "1")),
    Figure("idle_ns_per_op", "ns", "per operation", "time of idle processors",
           Counter("idle_ns", "machine", "all processors", "4 5", "ticks")),
    Figure("threads_per_op", "count", "per timed operation", "threads that were started",
           Counter("threads", "counters", "the runtime")),
"""
PROGRAM = """
import json, sys
from pathlib import Path
from iogauge.analysis import report
from iogauge.model.figures import METRICS
from iogauge.outputs import json as json_output
from iogauge.outputs.document import Document
from iogauge.runfile import bulk, reading
from iogauge.runners import manifest, preparing
from docs import tables
from tests.fake_study import Clock, group, measure, steady

runner, folder = map(Path, sys.argv[1:])
fake = preparing.prepare({}, lambda text: None, [manifest.load(runner)])[0][0]
done = measure(group(steady(10)), fake, folder, clock=Clock(step=0.001), budget=0.2)
run = reading.read(done.path)
with bulk.connected() as database:
    decoded = bulk.columns_of(database, str(done.path))
print(json.dumps({
    "records": [
        {
            part: getattr(each, part)
            for part in ("evidence", "device", "machine", "counters", "operations")
        }
        for each in run.samples
    ],
    "columns": {name: values.tolist() for name, values in run.columns.arrays.items()},
    "decoded": {name: values.tolist() for name, values in decoded.arrays.items()},
    "figures": report.make(run).groups[0].cases[0].evidence.figures,
    "export": json.loads(json_output.render(Document(run)))["groups"][0]["cases"][0]["evidence"],
    "metrics": METRICS,
    "table": tables.evidence(),
}))
"""


def test_a_counter_is_one_entry(disk_folder, tmp_path):
    package, runner = tmp_path / "iogauge", tmp_path / "fake"
    shutil.copytree(PACKAGE, package, copy_function=os.symlink)
    shutil.copytree(TESTS / "runners" / "fake", runner)
    change(package / "model" / "figures.py", "FIGURES = (", f"FIGURES = ({ENTRIES}")
    change(
        runner / "fake_runner.py",
        '"sum": [], "counters": {}}',
        '"sum": [], "counters": {"threads": [3 * operations] * spans, "unknown": "x"}}',
    )
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, runner, disk_folder],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{TESTS.parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    said = json.loads(found.stdout)

    for each in said["records"]:
        assert each["evidence"]["cancelled"] == 0 and each["machine"]["idle_ns"] >= 0
        assert each["evidence"]["waited_ns"] >= 0
        assert each["device"] is None or each["device"]["reads"] >= 0
        assert each["counters"]["threads"] == [3 * number for number in each["operations"]]
        assert "unknown" not in each["counters"]
    assert len(said["records"]) > 5
    for columns in (said["columns"], said["decoded"]):
        assert {"cancelled", "reads", "idle_ns", "threads"} <= set(columns)
        assert columns["threads"] == [sum(each["counters"]["threads"]) for each in said["records"]]
        assert columns["idle_ns"] == [each["machine"]["idle_ns"] for each in said["records"]]
    for figures in (said["figures"], said["export"]):
        assert figures["cancelled_bytes_per_op"] == 0 and figures["threads_per_op"] == 3
        assert figures["idle_ns_per_op"] >= 0
        has_device = said["records"][0]["device"] is not None
        assert (figures["device_reads_per_op"] is not None) == has_device
    assert "cancelled_bytes_per_op" in said["metrics"]
    assert "`/proc/PID/schedstat`, field 2 |" in said["table"]
    assert "| `idle_ns_per_op` | ns | per operation | all processors |" in said["table"]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.unlink()
    path.write_text(text.replace(old, new), encoding="utf-8")
