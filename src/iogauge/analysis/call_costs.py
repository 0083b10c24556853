"""What a read call costs the kernel on the host of a run, at most: what the kernel does beyond it
is something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_FAR = 2.0  # times what calls cost at most: less may be the calls
_NS, _NS_PER_BYTE = 1500.0, 0.1
"""Of a host whose run file does not tell, on the safe side: on processors of 2017 and later a call
took 0.2 to 1 µs, and copying a byte from the page cache 0.03 to 0.1 ns.
"""
_FARTHER, _FARTHEST = 2.0, 8.0
"""Times as long per byte, usually and at most: the start of a file is in the processor's cache,
most of it is not, and others may keep the memory busy.
"""
_PAGE = 4096


@dataclass(frozen=True)
class CallCost:
    """The ns of a read call of cached data, and what each byte adds that is in the processor's
    cache.
    """

    ns: float = _NS
    ns_per_byte: float = _NS_PER_BYTE

    @classmethod
    def of_host(cls, facts: Mapping[str, Any]) -> CallCost:
        """As the facts in the header of a run have it."""
        known = facts.get("read_call")
        return cls(known["ns"], known["ns_per_byte"]) if isinstance(known, Mapping) else cls()

    def beyond_calls(
        self, kernel: float, calls: float, moved: float, *, from_device: bool
    ) -> float:
        """About how many of the kernel's ns are not for calls that moved so many bytes together; 0
        where that is not sure. To bring a page into the cache may cost as much as a call.
        """
        fixed = (calls + (moved / _PAGE if from_device else 0.0)) * self.ns
        usual, most = (fixed + each * moved * self.ns_per_byte for each in (_FARTHER, _FARTHEST))
        return kernel - usual if kernel > _FAR * most else 0.0
