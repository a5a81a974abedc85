"""JSON-lines bot for tests: plays the first legal action, except as its first argument says; PORT: over TCP."""

import json
import os
import socket
import sys
import time
from pathlib import Path

mode, *rest = sys.argv[1:]
if rest and rest[-1].isdigit():
    link = socket.create_connection(("127.0.0.1", int(rest[-1])))
    lines, output = link.makefile("rb"), link.makefile("wb")
else:
    lines, output = sys.stdin.buffer, sys.stdout.buffer
log = Path(rest[0]).open("a", encoding="utf-8") if rest and not rest[0].isdigit() else None  # noqa: SIM115


def raw(data):
    output.write(data)
    output.flush()


def say(**message):
    raw(json.dumps(message).encode() + b"\n")


def first(legal):
    return [actions[0] for actions in legal] if isinstance(legal[0], list) else legal[0]


def answer(act):
    return {"t": "action", "match": act["match"], "seq": act["seq"], "action": first(act["legal"])}


def bad(good, legal):
    """Return what is written instead of a good answer in this mode; None: the good answer."""
    if mode == "garbage":
        return b"\xff\0\xfe{]\n"
    if mode == "nan":
        return json.dumps(good | {"action": float("nan")}).encode() + b"\n"
    if mode == "deep":
        return b"[" * 100_000 + b"\n"
    if mode == "list":
        return b"[1]\n"
    if mode == "long":
        return b" " * (1 << 20) + json.dumps(good).encode() + b"\n"
    changes = {
        "type": {"t": "act"},
        "seq type": {"seq": "1"},
        "seq bool": {"seq": True},
        "illegal": {"action": 10**6},
        "text": {"action": "fly"},
        "null": {"action": None},
        "object": {"action": {"move": 1}},
        "bool": {"action": True},
        "huge": {"action": 10**30},
        "one unit": {"action": [legal[0][-1], "MOVE 99,99"]} if isinstance(legal[0], list) else {},
    }.get(mode)
    return None if changes is None else json.dumps(good | changes).encode() + b"\n"


seen = 0
last = b""
for line in lines:
    if log:
        print(line.decode(), end="", file=log, flush=True)
    message = json.loads(line)
    kind = message["t"]
    if kind == "hello":
        if mode == "mute":
            continue
        hello = {"t": "hello", "version": 1, "name": f"{mode}\n bot", "author": "x", "accept": message["games"]}
        if mode == "other version":
            hello["version"] = 2
        if mode == "other game":
            hello["accept"] = ["go"]
        if mode == "no name":
            del hello["name"]
        if mode == "no hello":
            hello = {"t": "ready", "match": ""}
        if mode == "early exit":
            sys.exit(3)
        say(**hello)
    elif kind == "setup":
        if mode == "other ready":
            say(t="hello")
        elif mode != "no ready":
            say(t="ready", match="m0")  # of another match: ignored
            say(t="ready", match=message["match"])
    elif kind == "ping":
        say(t="pong", n=message["n"])
    elif kind == "act":
        seen += 1
        good = answer(message)
        if mode == "exit" and seen == 2:
            print("I have had enough", file=sys.stderr)
            sys.exit(5)
        elif mode == "fork" and seen == 2:
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
        elif mode == "slow" and seen == 2:
            time.sleep(1000)
        elif mode == "late" and seen == 2:
            time.sleep(1.5)
            say(**good)
        elif mode == "flood":
            while True:
                say(t="action", match="m0", seq=0, action=0)
        elif mode == "endless":
            while True:
                raw(b"x" * 65536)
        elif mode == "stray":
            say(t="pong", n=4)
            say(**good | {"seq": good["seq"] - 1})
            say(**good | {"match": "m0"})
            say(**good)
        elif mode == "twice":
            say(**good)
            say(**good)
        elif mode == "comment":
            say(**good, comment=f"{seen} " + "か" * 1000, unknown=[1])
        else:
            raw(bad(good, message["legal"]) or json.dumps(good).encode() + b"\n")
        last = json.dumps(good).encode() + b"\n"
        if mode == "answer and exit" and message["phase"] == "play":
            os._exit(0)
    elif kind == "error" and not message["fatal"] and "seq" in message:
        raw(last)
    elif kind == "bye":
        break
