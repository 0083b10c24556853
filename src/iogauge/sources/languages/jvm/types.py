"""What parameters of Java and Kotlin are given, by their types."""

from __future__ import annotations

import re

from iogauge.sources.functions import Function, Parameter, Take
from iogauge.sources.languages.jvm import near

_PATHS = ("java.nio.file.Path", "java.io.File", "java.net.URI", "java.net.URL")
_STREAMS = (
    *("java.io.InputStream", "java.io.FileInputStream", "java.io.BufferedInputStream"),
    *("java.io.DataInputStream", "java.io.Reader", "java.io.InputStreamReader"),
    *("java.io.FileReader", "java.io.BufferedReader", "java.io.LineNumberReader"),
    *("java.lang.Readable", "java.util.Scanner"),
)
_FILES = (
    *("java.io.RandomAccessFile", "java.io.DataInput", "java.nio.channels.FileChannel"),
    *("java.nio.channels.SeekableByteChannel", "java.nio.channels.ReadableByteChannel"),
    *("java.nio.channels.ByteChannel", "java.nio.channels.GatheringByteChannel"),
    *("java.nio.channels.ScatteringByteChannel", "java.nio.channels.AsynchronousFileChannel"),
)
_KNOWN = {each.rpartition(".")[2]: each for each in (*_PATHS, *_STREAMS, *_FILES)}
_TEXTS = {"String", "CharSequence"}
_OTHERS = {"Charset": ("java.nio.charset.Charset", "charset")}
_CONSUMERS = {"Consumer": "java.util.function.Consumer"}
_ENCODING = re.compile(r"(char_?set|encoding|enc)(_?name)?", re.I)
_SIZE = re.compile(r"(buf(fer)?|block|chunk)(_?(size|len(gth)?|bytes))?", re.I)
_WHOLE = {"int", "long", "Int", "Long", "Integer"}
_LAMBDA = re.compile(r"\([^()]*\)\s*->\s*Unit")
_ARGUMENTS = re.compile(r"<.*>", re.DOTALL)


def taking(parameter: Parameter, function: Function) -> Take | None:
    """What a parameter of a function can be given. The form of a file is the name of its type."""
    written = parameter.type
    if function.more.get("spread") == parameter.name:
        return Take("other", "empty")
    if _LAMBDA.fullmatch(_unwrapped(written)) and not parameter.optional:
        return Take("other", "lambda")
    named = plain(written)
    named = plain(function.generics.get(named, named))
    simple = named.rpartition(".")[2]
    if simple in _TEXTS and named in (simple, f"java.lang.{simple}", f"kotlin.{simple}"):
        if _ENCODING.fullmatch(parameter.name):
            return Take("omitted") if parameter.optional else Take("other", "encoding")
        return Take("file", simple)
    if _is(named, _KNOWN.get(simple), function):
        return Take("file", simple, sure=True)
    if parameter.optional:
        return None
    if simple in _OTHERS and _is(named, _OTHERS[simple][0], function):
        return Take("other", _OTHERS[simple][1])
    if simple in _CONSUMERS and _is(named, _CONSUMERS[simple], function):
        return Take("other", "consumer")
    if simple in _WHOLE and _SIZE.fullmatch(parameter.name):
        return Take("other", "size")
    return None


def plain(written: str) -> str:
    """A type without its arguments, annotations and blanks: `Consumer<? super String>` is a
    `Consumer`.
    """
    text = _ARGUMENTS.sub("", _unwrapped(written))
    return "".join(each for each in text.split() if not each.startswith("@"))


def _unwrapped(written: str) -> str:
    """Without the mark of a type of Kotlin that may be null."""
    text = written.strip()
    while text.endswith("?") or (text.startswith("(") and text.endswith(")?")):
        text = text[:-1].strip()
    inner = text[1:-1].strip()
    whole = text.startswith("(") and text.endswith(")") and "->" in inner
    return inner if whole else text


def _is(named: str, whole: str | None, function: Function) -> bool:
    """Whether a name means this type where the function stands: no import says otherwise, and no
    type of the user's has it.
    """
    if whole is None:
        return False
    simple = whole.rpartition(".")[2]
    if named != simple:
        return named == whole
    if imported := function.more.get("imports", {}).get(simple):
        return bool(imported == whole)
    stars = function.more.get("stars", ())
    if whole.rpartition(".")[0] in stars:
        return True
    others = [each for each in stars if each.partition(".")[0] not in ("java", "javax", "kotlin")]
    return not others and not near.declares(function.file, simple)
