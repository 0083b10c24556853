"""Text that people will see, most of it others': titles, names, reasons, facts of a host.

Characters that move a terminal's cursor, colour it, or turn the direction of reading are shown as
escapes (`\\u001b`). Line ends and tabs too: a title of several lines could pass for lines of ours.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
# The same in JSON: as an escape, or as UTF-8. Most lines have none, and are not looked at further.
_HIDDEN_IN_JSON = re.compile(
    rb"(?i:\\u(?:00[01]|007f|00[89]|061c|200[ef]|202[89a-e]|206[6-9]|feff|d[89a-f][0-9a-f]{2}))"
    rb"|\\[bfnrt]|\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]"
    rb"|\xe2\x81[\xa6-\xa9]|\xef\xbb\xbf"
)


def visible(text: str) -> str:
    """The text with hidden characters as escapes."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shell_word(text: str | Path) -> str:
    """One word for a shell, quoted where needed; hidden and non-UTF-8 characters as escapes."""
    word = str(text)
    if not _HIDDEN.search(word):
        return shlex.quote(word)
    escaped = _HIDDEN.sub(
        lambda found: "".join(f"\\x{byte:02x}" for byte in os.fsencode(found[0])),
        word.replace("\\", "\\\\").replace("'", "\\'"),
    )
    return f"$'{escaped}'"


def shell_path(path: str | Path) -> str:
    """The same for a path, which is not to be taken for an option."""
    word = str(path)
    return shell_word(f"./{word}" if word.startswith("-") else word)


def may_hide(line: bytes) -> bool:
    """Whether a string in this line of JSON may have a hidden character."""
    if line.isascii() and b"\\" not in line and b"\x7f" not in line:
        return False  # so are most, and this is quickly known
    return bool(_HIDDEN_IN_JSON.search(line))


def all_visible(line: bytes, value: Any) -> Any:
    """What a line of JSON holds, `value`, with every string in it visible."""
    return _every(value) if may_hide(line) else value


def hidden(value: Any, where: str = "") -> str | None:
    """Where in nested tables the first hidden character is, and which one; None without any."""
    if isinstance(value, str):
        found = _HIDDEN.search(value)
        return f"{where}: the character \\u{ord(found[0]):04x} cannot be shown" if found else None
    parts: Iterable[tuple[Any, Any]] = enumerate(value) if isinstance(value, list) else ()
    for key, each in value.items() if isinstance(value, dict) else parts:
        inside = f"{where}[{key}]"
        if not isinstance(key, int):
            inside = f"{where}.{visible(key)}" if where else visible(key)
        if deeper := hidden(key, inside) or hidden(each, inside):
            return deeper
    return None


def for_people(text: str, given: Iterable[str]) -> str:
    """A message with escapes of hidden characters; of line ends in words that were `given`."""
    for part in (part for word in given for part in word.split(os.sep)):
        if part.strip() and _HIDDEN.search(part):
            text = text.replace(part, visible(part))
    return "\n".join(map(visible, text.split("\n")))


def for_stream(text: str, stream: TextIO) -> str:
    """On a terminal, with a first line that ends between words; else as it is, as whoever reads it
    there looks for lines. What follows the first line is a command to be copied, or what another
    tool said, and stays whole.
    """
    if not stream.isatty():
        return text
    try:
        width = os.get_terminal_size(stream.fileno()).columns or 80  # 0 where it does not say
    except OSError:
        width = shutil.get_terminal_size().columns
    first, *others = text.split("\n")
    wrap = textwrap.TextWrapper(width, subsequent_indent="  ")
    wrap.break_long_words = wrap.break_on_hyphens = False
    return "\n".join([wrap.fill(first), *others])


def _every(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): _every(each) for key, each in value.items()}
    return [_every(each) for each in value] if isinstance(value, list) else value


def capital(text: str) -> str:
    """With a capital letter, as a sentence begins."""
    return text[:1].upper() + text[1:]


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
