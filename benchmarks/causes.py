"""Shows the effects inside processes behind some constants of measuring, each one by itself.

    python benchmarks/causes.py [SECTION…]

Each section is a file in `effects` and prints its tables:
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import effects
from ledger import scratch


def sections() -> dict[str, ModuleType]:
    """The modules of the folder that print a table, by name (`go-layout`)."""
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
