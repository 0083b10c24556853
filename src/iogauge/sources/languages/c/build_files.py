"""What Makefiles, CMake and Meson say of flags, where no compile_commands.json says it better."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from iogauge.sources.languages.c.flags import joined

MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_SECONDS = 10
_ASSIGNED = re.compile(
    r"^\s*(?:override )?\w*(?:(?:C|CXX|CPP|LD|LINK)FLAGS|LDLIBS|LIBS)\w*\s*[:+?]?=(.*)$",
    re.MULTILINE,
)
_KEPT = re.compile(
    r"-D\w+(=[\w.\"'\\-]*)?|-I.+|-i(system|quote|dirafter|nclude|macros).+|-std=[\w+]+"
    r"|-l[\w.+-]+|-L.+|-pthread|-fopenmp|-m[\w=.-]+"
)
_UNKNOWN = "\1"  # stands for a variable
_PACKAGES = re.compile(r"pkg-config\s+([^)`\n]*)")
_MODULES = re.compile(r"pkg_(?:check|search)_modules?\s*\(\s*\w+([^)]*)\)", re.I)
_DEPENDENCY = re.compile(r"dependency\(\s*'([\w.+-]+)'")
_STANDARD = re.compile(r"CMAKE_CXX_STANDARD\s+(\d\d)|cxx_std_(\d\d)|cpp_std=(?:gnu|c)\+\+(\d\d)")
_KNOWN = {
    "Threads::Threads": "-pthread",
    "ZLIB::ZLIB": "-lz",
    "BZip2::BZip2": "-lbz2",
    "LibLZMA::LibLZMA": "-llzma",
    "OpenSSL::Crypto": "-lcrypto",
    "OpenSSL::SSL": "-lssl -lcrypto",
    "OpenMP::OpenMP_C": "-fopenmp",
    "OpenMP::OpenMP_CXX": "-fopenmp",
    "SQLite::SQLite3": "-lsqlite3",
}


def flags(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the files that build this folder tell the compiler, and the linker."""
    words: list[str] = []
    for name in MAKEFILES:
        text = _text(root / name).replace("\\\n", " ")
        for match in _ASSIGNED.findall(text):
            words += _words(re.sub(r"\$[({][^)}]*[)}]", _UNKNOWN, match))
        words += _of_packages(each for one in _PACKAGES.findall(text) for each in one.split())
    cmake = _text(root / "CMakeLists.txt")
    words += _of_packages(each for one in _MODULES.findall(cmake) for each in one.split())
    words += [word for name, known in _KNOWN.items() if name in cmake for word in known.split()]
    meson = _text(root / "meson.build")
    words += _of_packages(each for each in _DEPENDENCY.findall(meson) if each != "threads")
    words += ["-pthread"] if "dependency('threads')" in meson else []
    if standard := _STANDARD.search(cmake + meson):
        words.append(f"-std=gnu++{next(filter(None, standard.groups()))}")
    known = [each for each in dict.fromkeys(joined(words, root)) if _UNKNOWN not in each]
    kept = [each for each in known if _KEPT.fullmatch(each)]
    linking = [each for each in kept if not each.startswith(("-D", "-I", "-i", "-std"))]
    return tuple(each for each in kept if each[:2] not in ("-l", "-L")), tuple(linking)


def _of_packages(named: Iterable[str]) -> list[str]:
    """What pkg-config says of these packages; nothing of those that it does not know."""
    found = []
    for name in dict.fromkeys(re.split(r"[<>=]", each)[0].strip("'\"") for each in named):
        if not re.fullmatch(r"[\w][\w.+-]*", name) or not shutil.which("pkg-config"):
            continue
        with suppress(OSError, subprocess.SubprocessError):
            told = subprocess.run(
                ["pkg-config", "--cflags", "--libs", name],
                capture_output=True, text=True, timeout=_SECONDS, check=True,
            )  # fmt: skip
            found += _words(told.stdout)
    return found


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "ignore")
    except OSError:
        return ""
