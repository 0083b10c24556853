"""Names the platform of a wheel that has runners inside: IOGAUGE_PLATFORM, which dist.py sets."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        platform = os.environ.get("IOGAUGE_PLATFORM")
        if platform:
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
