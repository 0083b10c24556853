"""In which languages `iogauge FILE` reads a file: in the one that is named, else in those of the
project in whose folder the user is, else in all that are here.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from iogauge.commands import arguments as arg
from iogauge.commands.options import chosen_runtimes, known_language
from iogauge.commands.output import WIDTH, say
from iogauge.model.errors import UserError
from iogauge.model.text import listed
from iogauge.runners import manifest, projects
from iogauge.runners.projects import Project
from iogauge.runners.runtimes import Runtimes


@dataclass(frozen=True)
class Asked:
    """What decides the languages; all of them where nothing does."""

    language: str | None = None
    project: Project | None = None

    def languages(self, here: Runtimes) -> list[str] | None:
        """Those of them that can be measured as far as is known; None for all."""
        if self.language:
            return [self.language]
        absent = {language for each in here.missing for language in each.languages}
        mine = self.project.languages if self.project else ()
        return [each for each in mine if each not in absent] or None

    def is_first(self, measured: Collection[str]) -> bool:
        """Whether languages of the project alone are measured."""
        return self.project is not None and {*measured} <= {*self.project.languages}

    def wanted(self, measured: Collection[str]) -> Collection[str]:
        """The languages without which something is lacking; none stands for all."""
        if self.language:
            return [self.language]
        return self.project.languages if self.project and self.is_first(measured) else []

    def recorded(self, measured: Collection[str]) -> list[str]:
        """The option that asks for the same languages elsewhere; none where there is none."""
        alone = self.language
        if self.is_first(measured) and len(measured) == 1:
            (alone,) = measured
        return ["--language", alone] if alone else []

    def say_missing(self, here: Runtimes, measured: Collection[str]) -> None:
        """A line for each language that would be measured, but is not here."""
        for each in here.missing:
            if each.broken:  # what is left out of the plan names these
                continue
            if told := self._told(each.languages):
                say(f"{each.why} ({told})")
            elif not self.language and not self.is_first(measured):
                say(each.why)

    def why(self, here: Runtimes, measured: Collection[str], others: str) -> str:
        """Which languages are measured first and why, with the command that takes the `others`;
        empty where it is not for the project.
        """
        if not self.project or not self.is_first(measured):
            return ""
        mine = [each for each in self.project.languages if each in measured]
        says = f"{listed([*map(manifest.name_of, mine)])} first: {self._told(mine)}"
        if not {language for each in here.runtimes for language in each.languages} - {*mine}:
            return says
        line = f"{says}; the others: {others}"
        return line if len(line) <= WIDTH else f"{says}; the others:\n{others}"

    def _told(self, languages: Collection[str]) -> str:
        """What tells that the project has these languages: `go.mod is here`."""
        if not self.project:
            return ""
        told = [each for each in self.project.told if {*each.languages} & {*languages}]
        by = [word for each in told for word in each.by]
        above = os.path.relpath(self.project.folder)
        where = "here" if above == os.curdir else f"in {above}"
        return f"{listed(by)} {'is' if len(by) == 1 else 'are'} {where}" if by else ""


def asked(given: arg.FileAnswer) -> Asked:
    """What these options ask for, or else the project. Raises UserError where two of them do."""
    known_language(given.language)
    decide = {"--own": given.own, "--language": given.language, "--all": given.every}
    first, *others = [name for name, value in decide.items() if value] or [""]
    if others:
        raise UserError(f"{others[0]}: {first} decides the language; leave out one of them")
    if first:
        return Asked(given.language)
    try:
        project = projects.around(Path.cwd())
    except OSError:  # the current folder is gone
        return Asked()
    mine = set(project.languages) if project else set[str]()
    runners = {each.name: each for each in manifest.all_runners()}
    chosen = [runners[each] for each in chosen_runtimes(given.runtime) if each in runners]
    # A runtime of another language is named to be measured.
    other = any(not mine & {*each.file.languages} for each in chosen)
    return Asked() if other else Asked(project=project)
