"""A runner without a clock: it really reads the files, but its times are made up from its parameters and a seed.

Its strategies misbehave on demand, each in the way its name says. `fake/steady` takes `speed` ns per byte, scattered by
`scatter` parts in a thousand between processes.
"""

import json
import os
import random
import sys
import time

PARAMETERS = {
    "speed": {"default": 10, "min": 1, "max": 100000, "says": "hundredths of ns per byte"},
    "scatter": {"default": 0, "min": 0, "max": 1000, "says": "standard deviation between forks, thousandths"},
}
FAULTS = ["wrong-sum", "wrong-count", "too-few-samples", "garbage", "chatty", "silent", "dies", "refuses", "no-time",
          "later-wrong-sum", "dies-at-start", "spoilt"]  # fmt: skip


def declaration(name, role="contestant", consumes=("none", "touch", "sum"), unavailable=None):
    return {
        "name": f"fake/{name}", "title": name, "operation": "read", "unit": "block", "medium": "file", "sums": "byte",
        "consumes": list(consumes), "parameters": PARAMETERS, "effort": 1, "role": role,
        "needs": {"memory_per_file_byte": 0.0, "runtime": None}, "unavailable": unavailable,
    }  # fmt: skip


STRATEGIES = [
    declaration("steady"),
    declaration("null", role="null", consumes=("none",)),
    declaration("absent", unavailable="needs a newer fake"),
    *map(declaration, FAULTS),
]


class Fake:
    def __init__(self):
        self.random = random.Random(os.getpid() if "FAKE_SEED" not in os.environ else os.environ["FAKE_SEED"])
        self.opened = None
        self.samples = 0

    def answer(self, request):
        verb = request.get("verb")
        if verb == "hello":
            return {"wire": 1, "runner": "fake", "runtime": "fake-1.0", "name": "Fake", "version": "1.0", "flags": [],
                    "clock_resolution_ns": 1}  # fmt: skip
        if verb == "list":
            return {"strategies": STRATEGIES}
        if verb == "open":
            return self.open(request)
        if verb == "sample":
            return self.sample(request)
        if verb == "release":
            return {}
        return {"error": f"unknown verb {verb!r}"}

    def open(self, request):
        declared = {each["name"]: each for each in STRATEGIES}.get(request["strategy"])
        if declared is None:
            return {"error": f"unknown strategy {request['strategy']!r}"}
        if declared["unavailable"]:
            return {"error": declared["unavailable"]}
        workload = request["workload"]
        if workload["operation"] != "read" or workload["consume"] not in declared["consumes"]:
            return {"error": f"cannot do {workload}"}
        if set(request["parameters"]) - set(PARAMETERS):
            return {"error": f"unknown parameter among {list(request['parameters'])}"}
        for name, limits in PARAMETERS.items():
            value = request["parameters"].get(name)
            if not isinstance(value, int) or not limits["min"] <= value <= limits["max"]:
                return {"error": f"parameter {name} must be {limits['min']} to {limits['max']}, not {value!r}"}
        self.opened = request
        self.level = request["parameters"]["speed"] / 100
        self.level *= 1 + self.random.gauss(0, request["parameters"]["scatter"] / 1000)
        if request["strategy"].endswith("dies-at-start"):
            print("no such luck", file=sys.stderr)
            os._exit(7)
        return {}

    def sample(self, request):
        operations, spans, paths = request["operations"], request["samples"], request["paths"]
        if self.opened is None or operations < 1 or len(paths) not in (1, operations * spans):
            return {"error": "nothing is open, or operations and paths do not fit"}
        null = self.opened["strategy"] == "fake/null"
        self.last_path = paths[0]
        reply = {"ns": [], "operations": [], "bytes": [], "sum": [], "counters": {}}
        self.samples += 1
        for span in range(spans):
            # One path: it is read once, whatever the number of operations; this is a fake, and has no time to waste.
            used = paths[span * operations : (span + 1) * operations] if len(paths) > 1 else paths
            total = length = 0
            for path in [] if null else used:
                try:
                    with open(path, "rb", buffering=0) as file:
                        data = file.read()
                except OSError as error:
                    return {"error": f"{path}: {error.strerror}"}
                total += sum(data[::64]) if self.opened["workload"]["consume"] == "touch" else sum(data)
                length += len(data)
            factor = operations if len(paths) == 1 else 1
            reply["ns"].append(max(1, round(self.level * max(length, 1) * factor)))
            reply["operations"].append(operations)
            reply["bytes"].append(length * factor)
            reply["sum"].append(total * factor)
        if self.opened["workload"]["consume"] == "none":
            reply["sum"] = None
        return self.fault(reply)

    def fault(self, reply):
        match self.opened["strategy"].removeprefix("fake/"):
            case "wrong-sum":
                reply["sum"] = [1 + value for value in reply["sum"] or []]
            case "later-wrong-sum" if self.samples > 4:
                reply["sum"][-1] += 1
            case "spoilt" if os.path.exists(os.path.join(os.path.dirname(self.last_path), "spoil")):
                reply["sum"] = [1 + value for value in reply["sum"] or []]
            case "wrong-count":
                reply["bytes"][0] -= 1
            case "too-few-samples":
                reply["ns"].pop()
            case "no-time":
                reply["ns"] = [0] * len(reply["ns"])
            case "refuses":
                return {"error": "no, not this file"}
            case "dies":
                print("out of fake memory", file=sys.stderr)
                sys.stderr.flush()
                os._exit(3)
            case "garbage":
                return "}{ not json"
            case "chatty":
                return [json.dumps({"verb": "sample", **reply}), "and another thing"]
            case "silent":
                time.sleep(3600)
        return reply


def main():
    channel = os.dup(1)
    os.dup2(2, 1)
    fake = Fake()
    for line in sys.stdin:
        try:
            request = json.loads(line)
        except ValueError:
            os.write(channel, b'{"error": "not JSON"}\n')
            continue
        answer = fake.answer(request) if isinstance(request, dict) else {"error": "not an object"}
        if isinstance(answer, dict) and "error" not in answer:
            answer = {"verb": request["verb"], **answer}
        lines = answer if isinstance(answer, list) else [answer if isinstance(answer, str) else json.dumps(answer)]
        os.write(channel, "".join(each + "\n" for each in lines).encode())


if __name__ == "__main__":
    main()
