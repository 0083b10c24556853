"""Writes the pages of this folder: the verdicts, a picture and our words; below a fold the published
tables beside ours, why each verdict is as it is, and the sound answers.

    python docs/studies/generate.py [EXPORT.json …] [--report FILE] [--measure FOLDER [--only STUDY …]]

An export is what `iogauge export RUN --format json` prints. The command first cuts each one down to
runs/STUDY.PROTOCOL.json: the same contract (docs/export-json.md) with fewer keys and digits. Then
it writes every page anew from these files, from the study (its source), and from notes/STUDY.md.
The notes are our words. Their first paragraph is the verdict in short, which docs/results.md quotes.
STUDY.svg is its picture: published times beside measured ones, or where the published ones are lost
the times over the block. blocks.svg is one figure: the one over blocks with the most values. `--report` also writes all
stored runs as one page in HTML, as `iogauge report` makes it, but without samples.

The other studies that re-test a publication have short pages (short.py). `--measure FOLDER` first
runs all of these on the file system of FOLDER, one after another: three minutes each. One that
fails is told at the end, and keeps nobody from the others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from iogauge.claims import printed
from iogauge.model.units import count, duration, short_size, significant
from iogauge.outputs import contract, html
from iogauge.outputs.contract import Export
from iogauge.outputs.document import Page, Source
from iogauge.outputs.html import cards, figures, publications, vega
from iogauge.outputs.html.figures import Figure
from iogauge.outputs.html.publications import Point
from iogauge.study import loading
from iogauge.study.schema import Study

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import short  # noqa: E402 - beside this file, not in the package

FIVE = (
    "java-stream-writes-2018",
    "filewriter-bufferedwriter-jmh",
    "kotlin-java-io-2023",
    "java-read-eleven-ways",
    "go-read-four-ways",
)
PROTOCOLS = {"published": "as published", "sound": "soundly"}
JsonObject = dict[str, Any]

# What is kept of an export, by place in it: the keys of an object, or of each object of a list.
_KEPT = {
    "": "runs groups published claims",
    "runs": (
        "id study title source protocol options started seconds host runtimes complete seed "
        "next_steps caveats skipped"
    ),
    "runs.host": "processor machine cores kernel file_system",
    "runs.runtimes": "name runner",
    "groups": (
        "id run question title answers recommendations next_steps observed tolerance replicates "
        "noise_floor suspended baseline ceiling knees parameters_without_effect workload "
        "conditions cases"
    ),
    "groups.ceiling": "bytes_per_s least most strategy runtime",
    "groups.cases": (
        "key label display known_as cost note simplest strategy runtime options params roles "
        "ns_per_op vs_best vs_baseline best eliminated impossible of_ceiling evidence "
        "other_work_share caveats failures"
    ),
    "groups.cases.vs_best": "ratio lo hi outcome reference",
    "groups.cases.vs_baseline": "outcome",
    "groups.cases.other_work_share": "center",
    "groups.cases.evidence": (
        "read_calls_per_op write_calls_per_op bytes_per_read_call bytes_per_write_call "
        "user_ns_per_op system_ns_per_op minor_faults_per_op allocated_bytes_per_op"
    ),
    "claims": (
        "id says verdict by_runtime because in_short decisive why in_its_own_data "
        "in_its_own_data_because in_its_own_data_in_short in_its_own_data_decisive"
    ),
}
KEPT = {place: keys.split() for place, keys in _KEPT.items()}


def cut(found: Any, place: str = "") -> Any:
    """An export with only the keys of KEPT, and with four digits per number, except large counts."""
    if isinstance(found, list):
        return [cut(each, place) for each in found]
    if isinstance(found, dict):
        return {
            key: cut(value, f"{place}.{key}".lstrip("."))
            for key, value in found.items()
            if key in KEPT.get(place, found)
        }
    if isinstance(found, float) and abs(found) >= 100 and place.startswith("groups.cases.evidence"):
        return round(found)  # counts are told exactly
    return (
        float(f"{found:.4g}")
        if isinstance(found, float) and place.partition(".")[2] not in ("value", "error")
        else found
    )


def small(export: JsonObject) -> JsonObject:
    """The stored form of an export. Workload and conditions stand once per group, and numbers
    replace the keys of cases.
    """
    for group in export["groups"]:
        first = group["cases"][0]
        group["workload"], group["conditions"] = first["workload"], first["conditions"]
    found = cut(export)
    number = {
        case["key"]: place
        for place, case in enumerate(each for group in found["groups"] for each in group["cases"])
    }
    for group in found["groups"]:
        group["baseline"] = number.get(group["baseline"])
        for each in group["recommendations"]:
            each["case"] = number.get(each["case"])
            each["for_now"] = number.get(each["for_now"])
    for case in (each for group in found["groups"] for each in group["cases"]):
        case["key"], case["vs_best"]["reference"] = (
            number[case["key"]],
            number.get(case["vs_best"]["reference"]),
        )
        case["evidence"] = {
            name: value for name, value in case["evidence"].items() if value is not None
        }
    for each in (each for cell in found.get("published", ()) for each in cell["measured"]):
        each["key"] = number[each["key"]]
    return found


def whole(stored: JsonObject) -> Export:
    """An export again, from its stored form: every case has its workload, conditions and speed."""
    found = {"published": [], **stored}
    for group in found["groups"]:
        group["baseline"] = str(group["baseline"])
        for each in group.get("recommendations", ()):
            for key in ("case", "for_now"):
                each[key] = None if each.get(key) is None else str(each[key])
        for case in group["cases"]:
            accesses = group["workload"]["accesses"]
            moved = (
                accesses * group["workload"]["access_bytes"]
                if accesses
                else group["workload"]["size"]
            ) * 1e9
            speed = {
                name: moved / case["ns_per_op"][of] if case["ns_per_op"][of] and moved else None
                for name, of in (("center", "center"), ("lo", "hi"), ("hi", "lo"))
            }
            case |= {
                "workload": group["workload"],
                "conditions": group["conditions"],
                "language": case["strategy"].partition("/")[0],
                "bytes_per_s": speed,
            }
            case["evidence"] = dict.fromkeys(KEPT["groups.cases.evidence"]) | case["evidence"]
            case["key"], best = str(case["key"]), case["vs_best"]
            best["reference"] = None if best["reference"] is None else str(best["reference"])
    for each in (each for cell in found["published"] for each in cell["measured"]):
        each["key"] = str(each["key"])
    return contract.read(found)


# summary → page


def page(of: Study, found: dict[str, JsonObject], notes: str) -> str:
    """Markdown, from the summaries by protocol: what everybody reads, then what is folded."""
    in_short, _, more = notes.strip().partition("\n\n")
    lines = [
        f"# {of.title}",
        "",
        "<!-- generated by docs/studies/generate.py: change notes/, the study or a run, not this page -->",
        "",
        _origin(of),
        "",
        *_verdicts(found),
        "",
        *_shown(of, found),
        "",
        in_short,
        "",
        "<details>",
        "<summary>The rest: what we make of it, why each verdict, all numbers, the runs</summary>",
        "",
    ]
    lines += ["## What we make of it", "", more, ""] if more else []
    lines += ["## How to read this page", "", *LEGEND, "", "## The source", "", *_source(of), ""]
    lines += ["## The claims", "", *_claims(of, found), "", *_numbers(of, found)]
    lines += ["## The runs", "", *(line for each in found.values() for line in _run(each))]
    return "\n".join(lines).rstrip() + "\n\n</details>\n"


def _origin(of: Study) -> str:
    """Who published it, in one line, with a link where the address is known."""
    source = of.source
    title = f"[{source.title}]({source.url})" if source.url else source.title
    known = ", ".join(each for each in (title, source.author, source.date) if each)
    address = "" if source.url else ", whose address is not known"
    return f"Published as: {known}{address}. Tested again with [`{of.id}`](../../studies/{of.id}.toml)."


def _verdicts(found: dict[str, JsonObject]) -> Iterator[str]:
    """A line per statement."""
    claims = {name: whole(deepcopy(each)).claims for name, each in found.items()}
    for line in publications.lines(claims):
        otherwise = f" ({line.otherwise})" if line.otherwise else ""
        yield f"- **{line.word}**: {line.says}{otherwise}"


def _shown(of: Study, found: dict[str, JsonObject]) -> list[str]:
    """The picture, and what it shows."""
    if not found:
        return []
    if any(_points(found)):
        says = (
            "A point is a published number, on one of the runtimes. Across: as published. Upwards: the same procedure on our"
            " machine. On the dashed line both are equal."
        )
        return [f"![Published times beside ours]({of.id}.svg)", "", says]
    return [
        f"![Times over the block]({of.id}.svg)",
        "",
        "The published numbers are lost; these are ours.",
    ]


def _points(found: dict[str, JsonObject]) -> list[Point]:
    return [
        point for each in found.values() for point in publications.points_of(whole(deepcopy(each)))
    ]


def _numbers(of: Study, found: dict[str, JsonObject]) -> list[str]:
    """The published numbers beside ours, and what the sound runs say."""
    lines: list[str] = []
    if "published" in found and of.published:
        lines += [
            "## The published numbers, and ours by the published protocol",
            "",
            *_beside(found["published"]),
        ]
    elif "published" in found:
        lines += [
            "## By the published protocol",
            "",
            "The published numbers are lost; these are ours.",
            "",
            *_of_groups(found["published"], best=False),
        ]
    if "sound" in found:
        lines += ["## The same questions, soundly", "", *_of_groups(found["sound"], best=True)]
    return lines


LEGEND = (
    "- **The list on top** says *reproduced* where a claim holds, *not reproduced* where it is refuted, *unclear* where it is undecided: measured as published, if that could test it. In brackets: what the controlled run says, where that differs.",
    "- **Verdicts.** A claim *holds* if every comparison that it rests on says so. It is *refuted* if one comparison surely contradicts it, and *undecided* otherwise. The words after a verdict cite the strongest",
    "  comparison. *answered*: in words, from what the run saw. *not-testable*: the run measured nothing that the claim names. *In its own data*: the same tests on the published numbers, with their errors or with the",
    "  differences between numbers that were measured twice; – if no published number bears on the claim.",
    "- `0.301 times (0.25–0.36)` is a ratio of times with the bounds of its interval. `at most`, `at least`: only one bound is known. `not known how sure`: no bound is known.",
    "- *Best of its language = 1* is the time over that of the fastest case of the same language and runtime in the group. `over 2.00, about 2.65`: the case was dropped early, as more than twice as slow; the second number is a",
    "  first impression. `undecided`: it is open which of the two is faster.",
    "- *Calls* are the read and write calls of one operation. *Other work* is the part of the time that is not I/O (summing, encoding, drawing random numbers), measured alone by a compute-only variant. `>100%`: alone it takes longer than",
    "  the whole operation, because compilers treat the two loops differently, so it says nothing about the share. –: there is none, or it is not known.",
    "- `8K` is 8 × 1024 bytes (for buffers of character streams: characters). `±` is half of the 99.9 % interval over iterations, as JMH prints it. (a–b) is the interval over repetitions or replicates.",
)


def _source(of: Study) -> list[str]:
    source = of.source
    known = [
        ("Title", source.title),
        ("Author", source.author),
        ("Date", source.date),
        ("Host", source.host),
        ("About", source.note),
    ]
    return [f"- {name}: {value or 'not given'}" for name, value in known] + [
        f"- Study: [`{of.id}`](../../studies/{of.id}.toml)"
    ]


def _claims(of: Study, found: dict[str, JsonObject]) -> list[str]:
    verdicts = {name: {each["id"]: each for each in run["claims"]} for name, run in found.items()}
    titles = {name: _titles(run) for name, run in found.items()}
    lines = [
        "| claim | as published, here | soundly, here | in its own data |",
        "|---|---|---|---|",
    ]
    for claim in of.claim:
        here = [
            _answer(verdicts[name][claim.id]) if name in verdicts else "–" for name in PROTOCOLS
        ]
        own = next(iter(verdicts.values()))[claim.id]["in_its_own_data"]
        basis = "" if claim.basis == "measured" else f" ({claim.basis})"
        lines.append(f"| {claim.says}{basis} | {' | '.join(here)} | {own or '–'} |")
    for claim in of.claim:
        lines += ["", f"**{claim.says}**", ""]
        for name, by_claim in verdicts.items():
            verdict = by_claim[claim.id]
            why = f" Why: {verdict['why']}." if verdict["why"] else ""
            asked = _asked(titles[name], verdict["decisive"])
            says = f"{verdict['verdict']}: {verdict['in_short']}.{why}{asked}"
            lines.append(f"- {PROTOCOLS[name]}: {says}")
        first, own = next((name, each[claim.id]) for name, each in verdicts.items())
        if own["in_its_own_data"]:
            asked = _asked(titles[first], own["in_its_own_data_decisive"])
            says = f"{own['in_its_own_data']}: {own['in_its_own_data_in_short']}.{asked}"
            lines.append(f"- in its own data: {says}")
    return lines


def _asked(titles: dict[str, str], decisive: JsonObject | None) -> str:
    """The question of the group that the decisive comparison is of, if the run has it."""
    title = titles.get(decisive["group"]) if decisive else None
    return f" Asked: {title}" if title else ""


def _answer(verdict: JsonObject) -> str:
    """With the runtimes, where they differ."""
    by_runtime = verdict["by_runtime"]
    return (
        ", ".join(f"{answer} ({name})" for name, answer in by_runtime.items())
        if len(set(by_runtime.values())) > 1
        else verdict["verdict"]
    )


def _beside(run: JsonObject) -> Iterator[str]:
    """The published tables, row by row, with our level on each runtime."""
    settings, cases = (
        [each["name"] for each in run["runs"][0]["runtimes"]],
        {case["key"]: case for group in run["groups"] for case in group["cases"]},
    )
    for table in dict.fromkeys(each["table"] for each in run["published"]):
        rows = [each for each in run["published"] if each["table"] == table]
        yield from (
            f"### {table} ({rows[0]['unit']})",
            "",
            f"| case | published | {' | '.join(settings)} |",
            "|---|---|" + "---|" * len(settings),
        )
        for each in rows:
            here = {
                " ".join([cases[case["key"]]["runtime"], *cases[case["key"]]["options"]]): case
                for case in each["measured"]
            }
            shown = [
                _in_unit(here[name], each["unit"]) if name in here else "–" for name in settings
            ]
            yield f"| {_row(each)} | {_printed(each)} | {' | '.join(shown)} |"
        yield ""


def _row(cell: JsonObject) -> str:
    return _case(cell) + (f", {_bytes(cell['size'])}" if cell["along"] == "size" else "")


def _bytes(size: int) -> str:
    """Exact, with its unit: `128 KiB`, `2 097 222 bytes`."""
    short = short_size(size)
    return (
        f"{short[:-1]} {short[-1]}iB"
        if short[-1].isalpha()
        else f"{size:,} bytes".replace(",", " ")
    )


def _case(found: JsonObject) -> str:
    values = [f"{name} {short_size(value)}" for name, value in sorted(found["params"].items())]
    return ", ".join([f"`{found['strategy']}`", *values, *found.get("options", ())])


def _printed(cell: JsonObject) -> str:
    return (
        ("about " if cell["approximate"] else "")
        + f"{cell['value']:.10g}"
        + (f" ± {cell['error']:.10g}" if cell["error"] is not None else "")
        + (" (an outlier?)" if cell["doubtful"] else "")
    )


def _in_unit(measured: JsonObject, unit: str) -> str:
    center, lo, hi = (measured["ns_per_op"][each] for each in ("center", "lo", "hi"))
    if center is None:
        return "failed" if measured["failure"] else "–"
    shown = significant(printed.in_unit(center, unit))
    if measured.get("error") is not None:
        return f"{shown} ± {significant(measured['error'])}"
    if lo is None or hi is None:
        return shown
    bounds = sorted(printed.in_unit(each, unit) for each in (lo, hi))
    return f"{shown} ({significant(bounds[0])}–{significant(bounds[1])})"


def _of_groups(run: JsonObject, *, best: bool) -> Iterator[str]:
    """A table per group, the fastest case first. `best` adds the comparison with the best case of
    the language, which only a sound run has.
    """
    several = len(run["runs"][0]["runtimes"]) > 1
    titles = _titles(run)
    for group in run["groups"]:
        yield from (f"### {titles[group['id']]}", "")
        for each in group.get("recommendations", ()) if best else ():
            yield f"- {each['set'][:1].upper()}{each['set'][1:]}: {each['says']}"
        if best and group.get("recommendations"):
            yield ""
        yield f"| case |{' runtime |' * several} per operation |{' time, best of its language = 1 |' * best} calls | other work |"
        yield "|---|" + "---|" * several + "---|" * best + "---|---|---|"
        for case in sorted(
            group["cases"], key=lambda each: each["ns_per_op"]["center"] or float("inf")
        ):
            calls, other = (
                [case["evidence"].get(f"{way}_calls_per_op") for way in ("read", "write")],
                case["other_work_share"]["center"],
            )
            columns = [
                _case(case),
                *[case["runtime"]] * several,
                _time(case),
                *["–" if case["failures"] else _versus_best(case)] * best,
            ]
            columns += [
                count(sum(each or 0 for each in calls))
                if any(each is not None for each in calls)
                else "–",
                _share(other),
            ]
            yield f"| {' | '.join(columns)} |"
        yield ""
        if group["suspended"]:
            yield from (
                "The A/A control of this group differs from its baseline, so the group gives no verdict.",
                "",
            )


def _titles(run: JsonObject) -> dict[str, str]:
    """The question of each group, and what tells it from the others that ask the same."""
    asked: dict[str, list[contract.Group]] = {}
    for group in whole(deepcopy(run)).groups:
        asked.setdefault(group.question, []).append(group)
    return {
        group.id: f"{question} ({where})" if where else question
        for question, groups in asked.items()
        for group, where in zip(groups, cards.circumstances(groups), strict=True)
    }


def _share(other: float | None) -> str:
    return "–" if other is None else ">100%" if other > 1 else f"{other:.0%}"


def _time(case: JsonObject) -> str:
    if case["failures"]:
        return case["failures"][0]
    center, lo, hi = (case["ns_per_op"][each] for each in ("center", "lo", "hi"))
    if center is None:
        return "not measured"
    return duration(center / 1e9) + (
        f" ({duration(lo / 1e9)}–{duration(hi / 1e9)})" if lo and hi else ""
    )


def _versus_best(case: JsonObject) -> str:
    found = case["vs_best"]
    if case["best"] or found["ratio"] is None:
        return "1" if case["best"] else "–"
    if case["eliminated"]:
        return f"over {significant(found['lo'])}, about {significant(found['ratio'])}"
    bounds = (
        f" ({significant(found['lo'])}–{significant(found['hi'])})"
        if found["lo"] and found["hi"]
        else ""
    )
    return f"{significant(found['ratio'])}{bounds}{', undecided' if found['outcome'] == 'undecided' else ''}"


def _run(summary: JsonObject) -> list[str]:
    run = summary["runs"][0]
    host, replicates = run["host"], max(each["replicates"] for each in summary["groups"])
    given = [
        (name, value if isinstance(value, list) else [value])
        for name, value in run["options"].items()
    ]
    words = [f"--{name.replace('_', '-')} {value}" for name, values in given for value in values]
    each = "repetition" if run["protocol"] == "published" else "replicate"
    lines = [
        f"{PROTOCOLS[run['protocol']].capitalize()}: `{' '.join(['iogauge run', run['study'], *words])}`, {run['started'][:10]}, "
        f"{', '.join(runtime['name'] for runtime in run['runtimes'])}; {host['processor'] or host['machine']}, {host['cores']} cores, "
        f"{host['file_system']}, Linux {host['kernel'].partition('-')[0]}; {duration(run['seconds'])}, "
        f"{replicates} {each}{'' if replicates == 1 else 's'}{'' if run['complete'] else ', interrupted'}.",
        "",
    ]
    notes = [
        *short.cached_by(whole(deepcopy(summary))),
        *run["caveats"],
        *(f"not measured: {skipped['what']}: {skipped['why']}" for skipped in run["skipped"]),
    ]
    return lines + [f"- {note}" for note in notes] + [""] * bool(notes)


# files


def stored(name: str) -> dict[str, JsonObject]:
    """The summaries of a study's runs, by protocol."""
    paths = {protocol: HERE / "runs" / f"{name}.{protocol}.json" for protocol in PROTOCOLS}
    return {
        protocol: json.loads(path.read_text()) for protocol, path in paths.items() if path.exists()
    }


def made_page(name: str) -> str | None:
    """The page of a study; None as long as nothing of it was measured."""
    found = stored(name)
    return (
        page(loading.load(name), found, (HERE / "notes" / f"{name}.md").read_text())
        if found
        else None
    )


def made_picture_of(name: str) -> bytes:
    """The picture of a study: published times beside ours; without published ones, those over the
    block.
    """
    found = stored(name)
    points = _points(found)
    if points:
        return publications.picture(points, alone=True).encode()
    return vega.svg(_most_values(figures.blocks(whole(found["sound"]))))


def _most_values(of: Iterable[Figure]) -> Figure:
    return max(of, key=lambda figure: len({row["at"] for row in figure.rows}))


def made_report() -> str:
    """All stored runs as one page in HTML; the sound runs come first."""
    documents = [
        whole(found[protocol])
        for protocol in ("sound", "published")
        for found in map(stored, FIVE)
        if protocol in found
    ]
    return html.render(Page(tuple(Source(each) for each in documents)))


def made_picture() -> bytes:
    """The report's figure over blocks with the most values; the first one of several."""
    exports = (whole(stored(name)["sound"]) for name in FIVE if "sound" in stored(name))
    return vega.svg(_most_values(figure for each in exports for figure in figures.blocks(each)))


def outside() -> dict[str, Export]:
    """The sound runs of the studies with a short page, as far as there are any."""
    found = {name: stored(name) for name in short.names(FIVE)}
    return {name: whole(each["sound"]) for name, each in found.items() if "sound" in each}


def made_index() -> str:
    names = [*short.names(FIVE), *FIVE]
    exports = {
        name: {protocol: whole(found) for protocol, found in stored(name).items()} for name in names
    }
    return short.index([loading.load(name) for name in names], exports)


def keep(text: str) -> None:
    """Store an export, cut down."""
    summary = small(json.loads(text))
    run = summary["runs"][0]
    kept = json.dumps(summary, ensure_ascii=False).replace(
        "}, {", "},\n{"
    )  # a line per case, claim and number: changes can be read
    (HERE / "runs" / f"{run['study']}.{run['protocol']}.json").write_text(kept + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("exports", nargs="*", type=Path, metavar="EXPORT.json")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report here, too")
    parser.add_argument(
        "--measure", type=Path, metavar="FOLDER", help="first run the studies with short pages here"
    )
    parser.add_argument("--only", nargs="+", metavar="STUDY", help="run only these of them")
    parser.add_argument("--budget", help="for each of these runs, instead of its study's")
    asked = parser.parse_args()
    for folder in ("runs", "notes"):
        (HERE / folder).mkdir(exist_ok=True)
    for each in asked.exports:
        keep(each.read_text())
    failed = []
    for name in (asked.only or short.names(FIVE)) if asked.measure else ():
        print(f"{name}, {time.strftime('%H:%M:%S')}", file=sys.stderr)
        try:
            keep(short.measured(name, asked.measure, asked.budget))
        except (subprocess.CalledProcessError, KeyError, ValueError) as problem:
            failed.append(f"{name}: not measured: {problem!r}")  # the others are, all the same
    for name in FIVE:
        text = made_page(name)
        if text:
            (HERE / f"{name}.md").write_text(text)
            (HERE / f"{name}.svg").write_bytes(made_picture_of(name))
    (HERE / "blocks.svg").write_bytes(made_picture())
    for name, export in outside().items():
        (HERE / f"{name}.md").write_text(short.page(loading.load(name), export))
        (HERE / f"{name}.svg").write_bytes(short.picture_of(export))
    (HERE / "README.md").write_text(made_index())
    if asked.report:
        asked.report.write_text(made_report())
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
