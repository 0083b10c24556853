"""Programs of all code hints of a language, to be compiled."""

from __future__ import annotations

from pathlib import Path

from iogauge.model.workload import OF_THE_API
from iogauge.runners import hints

RUNNERS = Path(__file__).parents[1] / "runners"
HINTS = {folder.name: sorted(folder.glob("*.txt")) for folder in sorted(RUNNERS.glob("*/hints/*"))}
VALUES = {"block": 4096, "buffer": 65536, "ahead": 1 << 20, "concurrent": 4}
SINCE_JAVA_22 = ("memory-segment", "memory-segment-random")

FRAMES = Path(__file__).parent / "frames"
"""Of each language a program around its hints, and in `-hint` what is around each of them. In that
of Node they run one after the other, and each says how much it used or copied.
"""


def names(language: str) -> list[str]:
    """Of its hints, those that can be compiled here."""
    found = [path.stem for path in HINTS[language]]
    zlib = language != "c" or Path("/usr/include/zlib.h").exists()
    return [each for each in found if zlib or not each.startswith("gz")]


def variants(language: str, chosen: list[str] | None = None) -> dict[str, str]:
    """Hints as they are shown, for each mode and durability that they are for, by their name and
    these, as in `os-write append fsync`.
    """
    found: dict[str, str] = {}
    for name in names(language) if chosen is None else chosen:
        for mode in hints.MODES:
            for durability in (None, *OF_THE_API):
                text = hints.of(f"{language}/{name}", VALUES, mode, durability)
                if text is not None:
                    said = (name, "" if mode == "truncate" else mode, durability)
                    found[" ".join(filter(None, said))] = text
    return found


def program(language: str, chosen: list[str] | None = None, *more: str) -> str:
    """All hints of a language, or the chosen ones; `more` goes first into the frame."""
    frame, function = ((FRAMES / f"{language}{each}.txt").read_text() for each in ("", "-hint"))
    texts = (function % each for each in enumerate(variants(language, chosen).values()))
    return frame % (*more, "\n".join(texts))


def java_programs() -> list[tuple[int, str]]:
    """The hints by the version of Java that they need."""
    everywhere = [name for name in names("java") if name not in SINCE_JAVA_22]
    imports = "import java.lang.foreign.Arena;\nimport java.lang.foreign.MemorySegment;"
    newer = program("java", list(SINCE_JAVA_22), imports)
    return [(17, program("java", everywhere, "")), (22, newer)]
