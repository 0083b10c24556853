"""One byte at a time, as beginners read."""

from harness.strategy import READS, Strategy, buffer


def _open(setup):
    every = {"none": 0, "touch": 64, "sum": 1}[setup.consume]
    buffering = setup.parameters["buffer"]

    def counting(path):
        count = 0
        with open(path, "rb", buffering=buffering) as file:
            while file.read(1):
                count += 1
        return count, 0

    def adding(path):
        count = total = 0
        with open(path, "rb", buffering=buffering) as file:
            while byte := file.read(1):
                if count % every == 0:
                    total += byte[0]
                count += 1
        return count, total

    return adding if every else counting


STRATEGIES = [
    Strategy(
        name="python/read-byte",
        title="open(path, 'rb').read(1)",
        call="open().read(1)",
        unit="byte",
        consumes=READS,
        parameters=buffer(),
        open=_open,
    )
]
