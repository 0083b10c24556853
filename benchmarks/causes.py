"""Why two honest tools do not always agree on a time: effects inside the processes, each shown by
itself.

    python benchmarks/causes.py [SECTION…]

A section is a file in `effects`, which prints its tables; two hours and a quarter together:
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import effects
from ledger import scratch


def sections() -> dict[str, ModuleType]:
    """By name, `go-layout`: each module of the folder that has something to show."""
    modules = [import_module(f"effects.{each.name}") for each in iter_modules(effects.__path__)]
    return {
        each.__name__.partition(".")[2].replace("_", "-"): each
        for each in modules
        if hasattr(each, "show")
    }


def main() -> None:
    known = sections()
    listed = "\n".join(f"{name}: {module.__doc__}" for name, module in known.items())
    parser = argparse.ArgumentParser(
        description=f"{__doc__}\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("section", nargs="*", choices=[*known, []], help="default: all")
    for name in parser.parse_args().section or known:
        print(f"\n## {name}\n", flush=True)
        with scratch() as folder:
            known[name].show(folder)


if __name__ == "__main__":
    main()
