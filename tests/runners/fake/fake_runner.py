"""A runner without a clock: it really reads the files, but its times are made up from its
parameters and a seed.

Its strategies misbehave on demand, each in the way its name says. `fake/steady` takes `speed` ns
per byte, scattered by `scatter` parts in a thousand between processes. FAKE_SPEEDS="100:150" in the
environment makes a machine on which what has the speed 100 elsewhere has 150.
"""

import _json
import _random
import math
import os
import struct
import sys
import time

PARAMETERS = {
    "speed": {"default": 10, "min": 1, "max": 100000, "unit": "count", "role": "other", "says": "hundredths of ns per byte"},
    "scatter": {"default": 0, "min": 0, "max": 1000, "unit": "count", "role": "other", "says": "standard deviation between forks, thousandths"},
}
BLOCK = {"block": {"default": 4096, "min": 1, "max": 1 << 20, "unit": "bytes", "role": "piece", "says": "bytes at each offset"}}
FAULTS = ["wrong-sum", "wrong-count", "too-few-spans", "garbage", "chatty", "silent", "dies", "refuses", "no-time",
          "later-wrong-sum", "dies-at-start", "spoilt", "slow-at-first", "slower-later"]


def declaration(name, role="contestant", consumes=("none", "touch", "sum"), unavailable=None):
    return {
        "name": f"fake/{name}", "title": name, "call": name, "operation": "read", "compute_only": "fake/adding", "unit": "block", "medium": "file", "sums": "byte",
        "consumes": list(consumes), "parameters": PARAMETERS, "effort": 1, "role": role,
        "needs": {"memory_per_file_byte": 0.0, "runtime": None}, "unavailable": unavailable,
        "buffer": "new", "data": "copied", "opens": "each",
    }


def writing(name, **more):
    return {
        **declaration(name, consumes=("none",)), "operation": "write", "modes": ["truncate", "append"],
        "durabilities": ["none", "fsync"], "compute_only": None, "data": None, **more,
    }


WRITE_FAULTS = ["writes-less", "writes-later-less", "writes-other", "forgets-to-write"]
STRATEGIES = [
    declaration("steady"),
    # a collection per operation
    {**declaration("allocating"), "needs": {"memory_per_file_byte": 1.0, "runtime": None}},
    {**declaration("mapping"), "mapped": True, "buffer": "none", "data": "borrowed"},
    {**declaration("text"), "sums": "utf16", "consumes": ["none", "sum"]},
    {**declaration("lines"), "unit": "line", "sums": "line-codepoint", "consumes": ["none", "sum"]},
    {**declaration("random"), "access": "random", "parameters": BLOCK},
    {**declaration("stream"), "format": "java-object-stream"},
    {**declaration("memory"), "medium": "memory", "compute_only": None, "opens": None},
    {**declaration("adding", role="compute_only"), "medium": "memory", "compute_only": None, "parameters": {}, "opens": None},
    writing("writing"),
    writing("in-memory", medium="memory", modes=[], durabilities=[], opens=None),
    writing("stream-writing", format="java-object-stream", modes=["truncate"]),
    writing("drawing", role="published", generates=True),
    *map(writing, WRITE_FAULTS),
    declaration("null", role="null", consumes=("none",)),
    # of groups that sum: the others have none
    {**declaration("ceiling", role="ceiling", consumes=("sum",)), "compute_only": None},
    {**declaration("failing-ceiling", role="ceiling", consumes=("sum",)), "compute_only": None},
    declaration("absent", unavailable="needs a newer fake"),
    *map(declaration, FAULTS),
]


class Scanning:
    strict, object_hook, object_pairs_hook, array_hook = True, None, None, None
    parse_float, parse_int, parse_constant = float, int, float


# The tests start thousands of these, and to import `json` or `random` takes as long as all else of
# a start. So this is what they are made of.
SCAN = _json.make_scanner(Scanning)
ENCODE = _json.make_encoder(None, None, _json.encode_basestring_ascii, None, ": ", ", ", False, False, False)


def encoded(value):
    return "".join(ENCODE(value, 0))


def decoded(line):
    try:
        value, end = SCAN(line, 0)
        if not line[end:].strip():
            return value
    # it cannot raise its own errors without `json`
    except (ValueError, StopIteration, SystemError):
        pass
    import json

    return json.loads(line)


def normal(seed):
    """Normal draws, those of `random.Random(seed).gauss(0, 1)`."""
    try:
        from _sha512 import sha512
    except ImportError:  # Python 3.12 and newer
        from _sha2 import sha512
    text = seed.encode()
    draw = _random.Random(int.from_bytes(text + sha512(text).digest(), "big")).random
    while True:
        turn, far = math.tau * draw(), math.sqrt(-2 * math.log(1 - draw()))
        yield math.cos(turn) * far
        yield math.sin(turn) * far


def framed(data):
    return b"\xac\xed\x00\x05z" + len(data).to_bytes(4, "big") + data


def unframed(data):
    found, at = b"", 4
    while at < len(data):
        start = at + (2 if data[at] == 0x77 else 5)
        at = start + int.from_bytes(data[at + 1 : start], "big")
        found += data[start:at]
    return found


class Fake:
    def __init__(self):
        self.normal = None
        self.last_values, self.last_sum = b"", 0
        self.opened = None
        self.samples = 0
        here = os.environ.get("FAKE_SPEEDS", "").split()
        self.speeds = dict(map(int, each.split(":")) for each in here)

    def drawn(self):
        # By the number of the fork: the same study with the same seed gives the same run, control
        # alarms included.
        if self.normal is None:
            self.normal = normal(f"{sys.argv[-1]}.log")
        return next(self.normal)

    def summed(self, values):
        """Of what is read again and again, only once."""
        if values != self.last_values:
            self.last_values, self.last_sum = values, sum(values)
        return self.last_sum

    def answer(self, request):
        verb = request.get("verb")
        if verb == "hello":
            return {"wire": 3, "runner": "fake", "runtime": "fake-1.0", "name": "Fake", "version": "1.0", "flags": [os.path.basename(os.path.dirname(__file__))],
                    "clock_resolution_ns": 1}
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
        if workload["operation"] != declared["operation"] or workload["consume"] not in declared["consumes"]:
            return {"error": f"cannot do {workload}"}
        for key, offered in (("mode", "modes"), ("durability", "durabilities")):
            if workload[key] not in declared.get(offered, []) and (workload[key] or declared.get(offered)):
                return {"error": f"{key} cannot be {workload[key]}"}
        padding = request.get("padding") or 0
        if not isinstance(padding, int) or not 0 <= padding <= 1 << 16:
            return {"error": f"padding must be 0 to {1 << 16}, not {padding!r}"}
        self.payload, self.offsets = b"", []
        if declared["operation"] == "write" or declared["medium"] == "memory":
            try:
                with open(request["payload"] or "", "rb") as file:
                    self.payload = file.read()
            except OSError as error:
                return {"error": f"payload {request['payload']}: {error.strerror}"}
        if declared.get("access") == "random":
            try:
                with open(request["offsets"] or "", "rb") as file:
                    self.offsets = [offset for (offset,) in struct.iter_unpack("<q", file.read())]
            except OSError as error:
                return {"error": f"offsets {request['offsets']}: {error.strerror}"}
        if set(request["parameters"]) - set(declared["parameters"]):
            return {"error": f"unknown parameter among {list(request['parameters'])}"}
        for name, limits in declared["parameters"].items():
            value = request["parameters"].get(name)
            if not isinstance(value, int) or not limits["min"] <= value <= limits["max"]:
                return {"error": f"parameter {name} must be {limits['min']} to {limits['max']}, not {value!r}"}
        self.opened, self.declared = request, declared
        speed = request["parameters"].get("speed", 3)
        self.level = self.speeds.get(speed, speed) / 100
        if scatter := request["parameters"].get("scatter", 0):
            self.level *= 1 + self.drawn() * (scatter / 1000)
        if request["strategy"].endswith("dies-at-start"):
            print("no such luck", file=sys.stderr)
            os._exit(7)
        return {}

    def sample(self, request):
        operations, spans, paths = request["operations"], request["spans"], request["paths"]
        if self.opened is None or operations < 1 or spans < 1 or len(paths) not in (1, operations * spans):
            return {"error": "nothing is open, or operations, spans and paths do not fit"}
        self.last_path = paths[0]
        reply = {"ns": [], "operations": [], "count": [], "sum": [], "counters": {}}
        self.samples += 1
        consume, writes = self.opened["workload"]["consume"], self.declared["operation"] == "write"
        for span in range(spans):
            # One path: it is read once, whatever the number of operations; this is a fake, and has
            # no time to waste.
            used = paths[span * operations : (span + 1) * operations] if len(paths) > 1 else paths
            total = length = count = 0
            for path in [] if self.declared["role"] == "null" else used:
                try:
                    data = self.work(path, operations if len(paths) == 1 else 1)
                except OSError as error:
                    return {"error": f"{path}: {error.strerror}"}
                values = self.values(data)
                total += sum(self.touched(data)) if consume == "touch" else self.summed(values)
                length += len(data)
                count += len(values)
            factor = operations if len(paths) == 1 else 1
            reply["ns"].append(max(1, round(self.level * max(length, 1) * factor)))
            reply["operations"].append(operations)
            reply["count"].append(count * factor)
            reply["sum"].append(total if writes else total * factor)
        if (consume == "none" and not writes) or (writes and self.declared["medium"] == "file"):
            reply["sum"] = None
        return self.fault(reply)

    def work(self, path, times):
        """What the operations handle: the file, or the payload, which is written where that is the
        task.
        """
        if self.declared["medium"] == "memory":
            return self.payload
        if self.declared["operation"] == "read":
            with open(path, "rb", buffering=0) as file:
                if self.declared.get("access") == "random":
                    block = self.opened["parameters"]["block"]
                    return b"".join(os.pread(file.fileno(), block, offset) for offset in self.offsets)
                return unframed(file.read()) if "format" in self.declared else file.read()
        fault = self.opened["strategy"].removeprefix("fake/")
        if self.samples > 4 and fault == "writes-later-less":
            fault = "writes-less"
        data = {"writes-less": self.payload[:-1], "writes-other": self.payload[::-1], "drawing": bytes(len(self.payload))}
        append = self.opened["workload"]["mode"] == "append"
        if fault != "forgets-to-write":
            with open(path, "ab" if append else "wb") as file:
                for _ in range(times if append else 1):
                    file.write(framed(self.payload) if "format" in self.declared else data.get(fault, self.payload))
                file.flush()
                if self.opened["workload"]["durability"] == "fsync":
                    os.fsync(file.fileno())
        return self.payload

    def values(self, data):
        """What is counted and summed."""
        match self.declared["sums"]:
            case "byte":
                return data
            case "utf16":
                return memoryview(data.decode().encode("utf-16-le")).cast("H")
            case "line-codepoint":
                *ended, last = data.decode().split("\n")
                return [*(len(line.removesuffix("\r")) for line in ended), *([len(last)] if last else [])]

    def touched(self, data):
        """The bytes at offsets of the file that are divisible by 64."""
        if self.declared.get("access") != "random":
            return data[::64]
        block = self.opened["parameters"]["block"]
        return b"".join(data[number * block : (number + 1) * block][-offset % 64 :: 64] for number, offset in enumerate(self.offsets))

    def fault(self, reply):
        match self.opened["strategy"].removeprefix("fake/"):
            case "wrong-sum":
                reply["sum"] = [1 + value for value in reply["sum"] or []]
            case "later-wrong-sum" if self.samples > 3:
                reply["sum"][-1] += 1
            case "spoilt" if os.path.exists(os.path.join(os.path.dirname(self.last_path), "spoil")):
                reply["sum"] = [1 + value for value in reply["sum"] or []]
            case "slow-at-first" if self.samples == 1:
                reply["ns"] = [300_000_000] * len(reply["ns"])
            case "slower-later" if self.samples > 7:
                reply["ns"] = [7 * each for each in reply["ns"]]
            case "wrong-count":
                reply["count"][0] -= 1
            case "too-few-spans":
                reply["ns"].pop()
            case "no-time":
                reply["ns"] = [0] * len(reply["ns"])
            case "refuses" | "failing-ceiling":
                return {"error": "no, not this file"}
            case "dies":
                print("out of fake memory", file=sys.stderr)
                sys.stderr.flush()
                os._exit(3)
            case "garbage":
                return "}{ not json"
            case "chatty":
                return [encoded({"verb": "sample", **reply}), "and another thing"]
            case "allocating":
                reply["counters"]["gc_count"] = reply["operations"]
            case "silent":
                time.sleep(3600)
        return reply


def main():
    if os.environ.get("FAKE_DIES"):
        sys.exit("I cannot")
    channel = os.dup(1)
    os.dup2(2, 1)
    fake = Fake()
    for line in sys.stdin:
        try:
            request = decoded(line)
        except ValueError:
            os.write(channel, b'{"error": "not JSON"}\n')
            continue
        answer = fake.answer(request) if isinstance(request, dict) else {"error": "not an object"}
        if isinstance(answer, dict) and "error" not in answer:
            answer = {"verb": request["verb"], **answer}
        lines = answer if isinstance(answer, list) else [answer if isinstance(answer, str) else encoded(answer)]
        os.write(channel, "".join(each + "\n" for each in lines).encode())


if __name__ == "__main__":
    main()
