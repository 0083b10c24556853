"""The channel to the host (docs/wire.md): one JSON object per line, one reply per request."""

import json
import os

from harness.verbs import Refused, Session


def serve():
    """Reply to every request until the standard input ends."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # whatever a library prints goes to the log
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # and what asks its user is told at once that there is none
    os.close(nothing)
    session = Session()
    waiting = bytearray()
    while True:
        end = waiting.find(b"\n")
        if end < 0:
            received = os.read(requests, 1 << 20)
            if not received:
                return
            waiting += received
            continue
        line = bytes(waiting[:end])
        del waiting[: end + 1]
        _send(replies, json.dumps(_reply(session, line)).encode() + b"\n")


def _reply(session, line):
    try:
        request = json.loads(line.decode())
        if not isinstance(request, dict):
            raise Refused("the request is no JSON object")
        return session.reply(request)
    except Refused as refused:
        return {"error": str(refused)}
    except ValueError as error:
        return {"error": f"the request cannot be read: {error}"}
    except MemoryError:
        return {"error": "there is not enough memory"}
    except Exception as error:  # the runner works on, whatever went wrong
        return {"error": f"{type(error).__name__}: {error}"}


def _send(replies, data):
    while data:
        data = data[os.write(replies, data) :]
