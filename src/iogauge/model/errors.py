"""Our own errors."""

from __future__ import annotations


class UserError(Exception):
    """Bad usage or input: one clear line for the user, exit status 2."""
