"""The glue in Go that calls functions of the user's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from iogauge.sources.functions import Fit, Function, Take

GLUE = "iogauge"
"""What the glue calls the package that takes results. Its other names begin so, too, as it shares
its package with the user's code.
"""
_TALLIED = {
    "Text": "Bytes",
    "Rest": "Bytes",
    **dict.fromkeys(("Slice", "Each", "EachOrError", "Receive", "Scan"), "Lines"),
}
"""By what takes a result, what it is compared with."""
_TOLD = re.compile(r"writer$|lines |channel (string|\[\]byte)$")
"""How a parameter is given through which a function hands over what it reads."""
_CAN_FAIL = {"EachOrError", "RunPairs", "Rest", "Scan", "Drain"}


def source(package: str, imported: str, fits: Iterable[Fit]) -> tuple[str, dict[int, str]]:
    """A file of the user's package, with a line for each function, and by their numbers what stands
    in the place of such lines where they do not compile. `imported` is the path of the package that
    takes results.
    """
    calls = [_Call(fit) for fit in fits]
    begin = f"""//go:build go1.21

package {package}

import (
	iogaugeTesting "testing"

	{GLUE} "{imported}"
)

func TestMain(*iogaugeTesting.M) {{ {GLUE}.Main() }}

func init() {{
"""
    lines = "".join(f"{each.text()}\n" for each in calls)
    first = begin.count("\n") + 1
    otherwise = {number: each.otherwise() for number, each in enumerate(calls, first)}
    return f"{begin}{lines}}}\n", otherwise


@dataclass
class _Call:
    """A function of a path that calls one of the user's."""

    fit: Fit
    lines: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)  # channels into which it sends

    def text(self) -> str:
        function, takes = self.fit.function, [*self.fit.made_of, *self.fit.takes]
        self._open()
        called = self._made() if function.more["receiver"] else function.name
        kind = self._results(f"{called}({self._given(function, self.fit.takes)})", takes)
        return (
            f"\t{GLUE}.Add({self._named()}, {GLUE}.{kind}, func(iogaugePath string, "
            f"iogaugeTo *{GLUE}.Taken) error {{ {'; '.join(self.lines)} }})"
        )

    def otherwise(self) -> str:
        return f"\t{GLUE}.Without({self._named()}, {{why}})"

    def _named(self) -> str:
        name = self.fit.function.name
        return f'"{name}", "{name}({self.fit.parameter.shown})"'

    def _open(self) -> None:
        if self.fit.file.form.startswith("text"):
            return
        self._say(f"iogaugeFile, iogaugeErr := {GLUE}.Open(iogaugePath)")
        self._fail("iogaugeErr")
        self._say("defer iogaugeFile.Close()")

    def _made(self) -> str:
        """The object whose method is called."""
        function = self.fit.function
        of, maker = function.more["of"], function.more["maker"]
        if maker:
            given = self._given(maker, self.fit.made_of)
            fails = "error" in maker.more["results"][1:]
            self._say(f"iogaugeMade{', iogaugeMadeErr' if fails else ''} := {maker.name}({given})")
            if fails:
                self._fail("iogaugeMadeErr")
            if function.more["closes"]:
                self._say("defer iogaugeMade.Close()")
        elif self.fit.made_of and self.fit.file.form == "text":  # a field has it
            (field_,) = function.made_of or ()
            self._say(f"iogaugeMade := {of}{{{field_.name}: iogaugePath}}")
        elif self.fit.made_of:
            self._say(f"iogaugeMade := {of}(iogaugePath)")
        else:
            self._say(f"var iogaugeMade {of}")
        return f"iogaugeMade.{function.short}"

    def _given(self, function: Function, takes: Sequence[Take]) -> str:
        return ", ".join(self._argument(take) for take in takes if take.what != "omitted")

    def _argument(self, take: Take) -> str:
        form, _, more = take.form.partition(" ")
        if form == "text":
            return f"{more}(iogaugePath)" if more else "iogaugePath"
        if form == "texts":
            return "[]string{iogaugePath}"
        if form == "file":
            return "iogaugeFile"
        if form.startswith("Descriptor"):
            return f"{form[len('Descriptor[') : -1]}(iogaugeFile.Fd())"
        if take.what == "file":
            return f"{GLUE}.{form}(iogaugeFile)"
        if form == "=":
            return more
        if form == "writer":
            return "iogaugeTo"
        if form == "channel":
            name = f"iogaugeSent{len(self.lines)}"
            self._say(f"{name} := {GLUE}.Sending[{more}](iogaugeTo)")
            self.sent.append(name)
            return f"{name}.Channel"
        if form == "lines":
            item, _, gives = more.partition(" ")
            end = {"error": "; return nil", "bool": "; return true"}.get(gives, "")
            return (
                f"func(iogaugeLine {item}) {gives} {{ {GLUE}.Line(iogaugeTo, iogaugeLine){end} }}"
            )
        return f"{GLUE}.{form}"

    def _results(self, call: str, takes: Sequence[Take]) -> str:
        """Call it and take what it returns; gives what that is compared with."""
        function = self.fit.function
        results, errors = function.more["results"], function.more["errors"]
        failures = [at for at, each in enumerate(results) if _is_error(each, errors)]
        others = [at for at in range(len(results)) if at not in failures]
        names = [f"iogauge{at}" for at in range(len(results))]
        told = [take for take in takes if _TOLD.match(take.form)]
        begins = f"{', '.join(names)} := " if names else ""
        repeats = function.more.get("repeats") and (failures or results[-1:] == ["bool"])
        if repeats:
            self._say("for {")
        self._say(f"{begins}{call}")
        for each in self.sent:
            self._say(f"{each}.End()")
        for at in failures:
            if repeats and results[at] == "error":
                self._say(
                    f"if iogaugeEnds, iogaugeErr := {GLUE}.Ended({names[at]}); iogaugeEnds {{ "
                    "return iogaugeErr }"
                )
            elif results[at] == "error":
                self._fail(names[at])
            else:
                self._fail(f"{GLUE}.Failure({names[at]})")
        if repeats and failures and results[0].startswith(("*", "[]")):
            self._say(f"if {names[0]} == nil {{ return nil }}")
        if repeats and not failures:
            self._say(f"if !{names[-1]} {{ return nil }}")
        kind = function.more["types"].kind([results[at] for at in others]) if others else ""
        kind = "Keep" if kind and (repeats or told) else kind
        if kind == "Keep":
            for place, at in enumerate(others):
                self._say(f"{GLUE}.Keep(iogaugeTo, {place}, {names[at]})")
                if function.more["types"].may_be_open(results[at]):
                    self._say(f"{GLUE}.Shut({names[at]})")
        elif kind:
            self._take(kind, names[others[0]])
        self._say("}" if repeats else "return nil")
        if told and not others:
            return "Bytes" if told[0].form == "writer" else "Lines"
        return _TALLIED.get(kind, "Anything")

    def _take(self, kind: str, name: str) -> None:
        to = "" if kind in ("Run", "RunPairs", "Drain") else "iogaugeTo, "
        call = f"{GLUE}.{kind}({to}{name})"
        if kind in _CAN_FAIL:
            self._fail(call)
        else:
            self._say(call)

    def _say(self, line: str) -> None:
        self.lines.append(line)

    def _fail(self, value: str) -> None:
        """Return an error unless it is nil."""
        if value.isidentifier():
            self._say(f"if {value} != nil {{ return {value} }}")
        else:
            self._say(f"if iogaugeErr := {value}; iogaugeErr != nil {{ return iogaugeErr }}")


def _is_error(type_: str, errors: set[str]) -> bool:
    return type_ == "error" or type_.lstrip("*") in errors
