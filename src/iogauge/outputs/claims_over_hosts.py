"""The verdicts on claims over hosts, for a terminal: `holds on 9 of 11 hosts`, and where not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iogauge.claims.findings import Answer
from iogauge.claims.over_hosts import ClaimOverHosts, StudyOverHosts
from iogauge.model.units import counted
from iogauge.outputs import host_words, narrow, statements
from iogauge.outputs.narrow import wrapped

_WORDS: dict[Answer, str] = {"not-testable": "not testable"}


@dataclass(frozen=True)
class ClaimsOverHosts:
    """`missing` has the hosts of which something is missing, and why."""

    title: str
    studies: Sequence[StudyOverHosts]
    missing: Mapping[str, str]


def render(document: ClaimsOverHosts) -> _Glance:
    return _Glance(document)


@dataclass(frozen=True)
class _Glance:
    document: ClaimsOverHosts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from (narrow.fitted(line, options.max_width) for line in self.lines())

    def lines(self) -> Iterator[Text]:
        document = self.document
        yield Text(wrapped(document.title, 2), style="bold")
        for name, why in document.missing.items():
            yield Text(wrapped(f"! {name}: {why}", 2), style="yellow")
        for study in document.studies:
            yield Text("")
            yield Text(f"{study.study.id}, on {counted(len(study.hosts), 'host')}", style="bold")
            for claim in study.claims:
                yield Text("")
                yield from _claim(claim)
            if study.study.published:
                yield Text("")
                yield Text(
                    wrapped(
                        "Published numbers are times: iogauge claims shows them beside those of "
                        "one host, with its run file.",
                        2,
                    ),
                    style="dim",
                )


def where(claim: ClaimOverHosts) -> str:
    """`holds on 9 of 11 hosts, refuted on 2`."""
    total, parts = len(claim.judged), list[str]()
    for answer, hosts in claim.hosts.items():
        word = _WORDS.get(answer, answer)
        if len(hosts) == total:
            return f"{word} {host_words.on_all(total)}"
        of = f" of {counted(total, 'host')}" if not parts else ""
        parts.append(f"{word} on {len(hosts)}{of}")
    return ", ".join(parts)


def _claim(claim: ClaimOverHosts) -> Iterator[Text]:
    yield Text(wrapped(where(claim), 2), style=_style(claim))
    yield Text(f"  {wrapped(claim.claim.says, 2)}")
    for answer, hosts in claim.hosts.items():
        reason = statements.reason(claim.judged[hosts[0]].measured)
        word = _WORDS.get(answer, answer)
        on = host_words.names(hosts) if len(claim.hosts) > 1 else f"e.g. {hosts[0]}"
        of_first = f" (on {hosts[0]})" if len(hosts) > 1 and len(claim.hosts) > 1 else ""
        yield Text(f"    {wrapped(f'{word}, {on}: {reason}{of_first}', 6)}", style="dim")


def _style(claim: ClaimOverHosts) -> str:
    answers = set(claim.hosts)
    if answers == {"holds"}:
        return "green"
    if "holds" not in answers and "refuted" in answers:
        return "red"
    return "cyan" if answers == {"answered"} else "dim" if answers == {"not-testable"} else "yellow"
