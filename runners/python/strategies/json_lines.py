"""JSON lines: a value in each line, parsed by itself."""

from json import loads

from harness.strategy import TEXTS, Strategy


def _open(setup):
    def counting(path):
        count = 0
        with open(path, encoding="utf-8") as file:
            for line in file:
                loads(line)
                count += 1
        return count, 0

    def measuring(path):
        count = total = 0
        with open(path, encoding="utf-8") as file:
            for line in file:
                loads(line)
                count += 1
                total += len(line.rstrip("\r\n"))
        return count, total

    return measuring if setup.consume == "sum" else counting


STRATEGIES = [
    Strategy(
        name="python/json-lines",
        title="json.loads(line) for line in open(path)",
        call="json.loads(line)",
        unit="line",
        sums="line-codepoint",
        consumes=TEXTS,
        format="json-lines",
        effort=1,
        compute_only="python/decode-lines",
        open=_open,
    )
]
