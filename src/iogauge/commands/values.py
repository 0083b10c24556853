"""Values that a shell completes. Each list is made when the shell asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Complete = Callable[[str], list[str]]


def of(*words: str) -> Complete:
    """One of these words."""

    def complete(incomplete: str) -> list[str]:
        return _beginning(incomplete, words)

    return complete


def studies(incomplete: str) -> list[str]:
    """A built-in study; after no match the shell completes files."""
    from iogauge.study import loading

    return _beginning(incomplete, sorted(loading.built_in_ids()))


def strategies(incomplete: str) -> list[str]:
    from iogauge.runners import catalogue, manifest

    found = [catalogue.read(each).strategies for each in manifest.all_runners()]
    return _beginning(incomplete, sorted(each.name for some in found for each in some))


def languages(incomplete: str) -> list[str]:
    from iogauge.runners import manifest

    return _beginning(incomplete, manifest.languages())


def runners(incomplete: str) -> list[str]:
    """`jvm=`, before a path."""
    from iogauge.runners import manifest

    return _beginning(incomplete, [f"{each.name}=" for each in manifest.all_runners()])


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [each for each in words if each.startswith(incomplete)]
