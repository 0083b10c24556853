"""What a line for a shell puts into the background, where its failure is not seen.

It knows as much of a shell's grammar as that takes: quotes, comments, here-documents,
substitutions, redirections, and where a command begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SHELLS = {"sh", "bash", "dash", "ash", "ksh", "zsh"}
_WITHOUT_BOTH = {"dash"}
"""Shells to which `&>` is a `&`, and then a `>`."""
_BEGINS = {"!", "{", "if", "then", "else", "elif", "do", "while", "until", "time"}
"""Words behind which another command begins."""
_DETACH = {"setsid", "disown", "coproc"}
_STARTS = {
    *("builtin", "chrt", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "stdbuf"),
    *("sudo", "taskset", "time", "timeout"),
}
"""Programs that run the command behind their own words."""
_OWN_WORD = re.compile(r"-.*|\w+=.*|[\d.]+[smhd]?|[A-Z][A-Z0-9_]*")
"""Of these: an option, a variable, a number, or the name of a signal or variable."""
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;&|;;|<<-|<<<|<<|&>>|&>|[<>]&|>>|>\||<>|[&|;<>()\n]")
_HERE = re.compile(r"[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|\\?([^\s;&|<>()]+))")
_ASSIGNED = re.compile(r"\w+\+?=")


@dataclass(frozen=True)
class Token:
    """A word without its quotes, or an operator; where it `begins`; and, of a word, whether it
    stands where a command begins.
    """

    text: str
    begins: int
    operator: bool = False
    first: bool = False


def background(text: str, *, both: bool) -> str | None:
    """The part of a line by which the shell puts work into the background: `&`, `&>` where it does
    not mean `both` outputs to this shell, `setsid`, `disown` or `coproc`. None where it waits.
    """
    return next(_constructs(text, both), None)


def of_words(words: Sequence[str], *, both: bool) -> str | None:
    """The same of the words of a command that no shell runs, unless it is one."""
    name = words[0].rpartition("/")[2] if words else ""
    if name in _STARTS:
        others = [each for each in words[1:] if not _OWN_WORD.fullmatch(each)][:1]
        return of_words(words[words.index(others[0], 1) :], both=both) if others else None
    if name == "eval":
        return background(" ".join(words[1:]), both=both)
    if name == "setsid":
        return None if {"-w", "--wait"} & {*words} else name
    if name in _SHELLS:
        for option, line in zip(words[1:], words[2:], strict=False):
            if re.fullmatch(r"-[a-z]*c[a-z]*", option):
                return background(line, both=both if name == "sh" else name not in _WITHOUT_BOTH)
    return None


def _constructs(text: str, both: bool) -> Iterator[str]:
    inner: list[str] = []
    found = list(_tokens(text, inner))
    for number, token in enumerate(found):
        if token.operator and token.text == "&":
            yield "&"
        elif token.operator and token.text in ("&>", "&>>") and not both:
            yield token.text
        elif token.first:
            words = [token.text]
            for each in found[number + 1 :]:
                if each.operator:
                    break
                words.append(each.text)
            if token.text in _DETACH - {"setsid"}:
                yield token.text
            elif detached := of_words(words, both=both):
                yield detached
    for command in inner:
        yield from _constructs(command, both)


def _tokens(text: str, inner: list[str]) -> Iterator[Token]:
    """The words and operators of a line; what is substituted in it goes to `inner`."""
    at, first, target, documents = 0, True, False, list[str]()
    while at < len(text):
        char = text[at]
        if char in " \t\r" or text.startswith("\\\n", at):
            at += 2 if char == "\\" else 1
            continue
        if char == "#":
            at = (text.find("\n", at) + len(text) + 1) % (len(text) + 1)
            continue
        operator = _OPERATOR.match(text, at)
        if operator and not _is_substitution(text, at):
            name, began = operator[0], at
            at = operator.end()
            if name in ("<<", "<<-") and (here := _HERE.match(text, at)):
                documents.append(next(each for each in here.groups() if each is not None))
                at = here.end()
            elif name == "\n":
                at, documents = _behind(text, at, documents), []
            redirects = name[-1] in "<>" or name in (">&", "<&", ">|", "<<-") or "<<" in name
            target = redirects and name not in ("<<", "<<-")
            first = first if redirects else True
            yield Token(name, began, operator=True)
            continue
        began, (word, at) = at, _word(text, at, inner)
        if target:  # of a redirection: the command goes on, or is still to begin
            target = False
        elif first and word.isdigit() and text[at : at + 1] in ("<", ">"):
            continue  # the descriptor of a redirection
        else:
            yield Token(word, began, first=first)
            first = first and (word in _BEGINS or bool(_ASSIGNED.match(word)))


def _is_substitution(text: str, at: int) -> bool:
    """Whether `<(` or `>(` is there, which stands for a file."""
    return text[at] in "<>" and text[at + 1 : at + 2] == "("


def _behind(text: str, at: int, documents: list[str]) -> int:
    """Where the lines of these here-documents end, which begin there."""
    for end in documents:
        while at < len(text):
            line, _, _ = text[at:].partition("\n")
            at += len(line) + 1
            if line.lstrip("\t") == end:
                break
    return min(at, len(text))


def _word(text: str, at: int, inner: list[str]) -> tuple[str, int]:
    """The word that begins there, without its quotes, and where it ends."""
    made = ""
    while at < len(text):
        char = text[at]
        if char == "\\":
            made, at = made + text[at + 1 : at + 2], at + 2
        elif char == "'":
            end = _end(text.find("'", at + 1), text)
            made, at = made + text[at + 1 : end], end + 1
        elif char == '"':
            quoted, at = _quoted(text, at + 1, inner)
            made += quoted
        elif char in "$`" or (_is_substitution(text, at) and not made):
            at = _substituted(text, at, inner)
            made += "$"
        elif char in " \t\r\n|&;<>()":
            break
        else:
            made, at = made + char, at + 1
    return made, max(at, 0)


def _quoted(text: str, at: int, inner: list[str]) -> tuple[str, int]:
    """What stands in double quotes, which begin before `at`, and where they have ended."""
    made = ""
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            made, at = made + text[at + 1 : at + 2], at + 2
        elif text[at] in "$`":
            made, at = made + "$", _substituted(text, at, inner)
        else:
            made, at = made + text[at], at + 1
    return made, at + 1


def _substituted(text: str, at: int, inner: list[str]) -> int:
    """Where a substitution ends that begins there; a command in it goes to `inner`."""
    if text[at] == "`":
        end = _end(text.find("`", at + 1), text)
        inner.append(text[at + 1 : end])
        return end + 1
    opened = text[at + 1 : at + 2]
    if opened not in ("(", "{"):
        return at + 1
    end = _closing(text, at + 1, opened, ")" if opened == "(" else "}")
    arithmetic = text.startswith("$((", at) and text[end - 1 : end] == ")"
    if opened == "(" and not arithmetic:
        inner.append(text[at + 2 : end])
    return end + 1


def _closing(text: str, at: int, opens: str, closes: str) -> int:
    """Where what opens there is closed, quotes skipped; the end of the text where it is not."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "'":
            at = _end(text.find("'", at + 1), text)
        elif char == '"':
            at = _quoted(text, at + 1, [])[1] - 1
        elif char in (opens, closes):
            depth += 1 if char == opens else -1
            if not depth:
                return at
        at += 1
    return len(text)


def _end(found: int, text: str) -> int:
    return found if found >= 0 else len(text)
