"""What the user's own code imports: `from iogauge_own import way` (docs/your-code.md)."""

WAYS = []
"""The decorated functions, with what they return where the user says it."""


def way(function=None, *, returns=None):
    """Mark a function of a path as a way to read a file: `@way`, or `@way(returns="lines")`."""
    if function is None:
        return lambda marked: way(marked, returns=returns)
    WAYS.append((function, returns))
    return function
