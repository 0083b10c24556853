from harness.strategy import WRITES, Strategy

STRATEGIES = [
    Strategy(
        name="python/null",
        title="nothing: the harness's own cost",
        call="nothing",
        unit="file",
        consumes=WRITES,
        effort=1,
        role="null",
        open=lambda setup: lambda path: (0, 0),
    )
]
