"""What a read call costs the kernel on the host of a run, at most: what the kernel does beyond it
is something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_FAR = 2.0  # times what calls cost at most: less may be the calls
_NS, _NS_PER_BYTE = 1500.0, 0.3
"""Of a host whose run file does not tell, on the safe side: on processors of 2017 and later a call
took 0.2 to 1 µs, and copying a byte from the page cache 0.03 to 0.2 ns.
"""
_FARTHER = 2.0  # times as long per byte: the start of a file is in the processor's cache
_PAGE = 4096


@dataclass(frozen=True)
class CallCost:
    """The ns of a read call of cached data, and what each byte adds."""

    ns: float = _NS
    ns_per_byte: float = _NS_PER_BYTE

    @classmethod
    def of_host(cls, facts: Mapping[str, Any]) -> CallCost:
        """As the facts in the header of a run have it."""
        known = facts.get("read_call")
        if not isinstance(known, Mapping):
            return cls()
        return cls(known["ns"], _FARTHER * known["ns_per_byte"])

    def of_calls(self, calls: float, moved: float, *, from_device: bool) -> float:
        """At most so many ns the kernel takes for calls that moved so many bytes together. To bring
        a page into the cache may cost as much as a call.
        """
        pages = moved / _PAGE if from_device else 0.0
        return (calls + pages) * self.ns + moved * self.ns_per_byte

    def beyond_calls(
        self, kernel: float, calls: float, moved: float, *, from_device: bool
    ) -> float:
        """How many ns of the kernel's are not for these calls; 0 where that is not sure."""
        due = self.of_calls(calls, moved, from_device=from_device)
        return kernel - due if kernel > _FAR * due else 0.0
