"""The environment of what we start: the user's, without the settings that would change what is
built or measured.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

Variables = Mapping[str, str | Literal[False]]
"""Variables by name; False for one that is not to be set. The name of such a one may have
wildcards: `CARGO_PROFILE_*`.
"""

_OURS: Variables = {
    "LC_ALL": "C.UTF-8",
    # Libraries that stand in for the C library's own: another allocator, an fsync that does
    # nothing, another clock.
    "LD_PRELOAD": False,
    "LD_AUDIT": False,
    "LD_BIND_NOW": False,
    # The C library's allocator, as it is.
    "GLIBC_TUNABLES": False,
    "MALLOC_*": False,
}


def environment(*tables: Variables) -> dict[str, str]:
    """The whole environment of a process. Of two tables that name a variable the later one has its
    way.
    """
    made = dict(os.environ)
    for table in (_OURS, *tables):
        removed = [name for name, value in table.items() if value is False]
        for name in [each for each in made if any(fnmatchcase(each, one) for one in removed)]:
            del made[name]
        made |= {name: value for name, value in table.items() if value is not False}
    return made
