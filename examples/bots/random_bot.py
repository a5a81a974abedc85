"""A bot that plays every game at random, over JSON lines: `masume match GAME --agents "cmd:python3 random_bot.py"`.

It needs only Python. With a port as its argument it connects to a referee that waits there (`tcp:PORT`). Put your own
logic into the branch of `act`: `message` holds everything that your bot may know. docs/tutorials/json-lines.md
explains each field.
"""

import json
import random
import socket
import sys

if len(sys.argv) > 1:
    link = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rw", encoding="utf-8", newline="\n")
    lines, output = link, link
else:
    lines, output = sys.stdin, sys.stdout


def say(**message):
    print(json.dumps(message), file=output, flush=True)


def choose(legal):
    """Return one of the legal actions; if a player has several units, `legal` is a list for each of them."""
    if isinstance(legal[0], list):
        return [random.choice(actions) for actions in legal]
    return random.choice(legal)


for line in lines:
    message = json.loads(line)
    kind = message["t"]
    if kind == "hello":
        say(t="hello", version=1, name="random bot", accept=message["games"])
    elif kind == "setup":
        say(t="ready", match=message["match"])
    elif kind == "ping":
        say(t="pong", n=message["n"])
    elif kind == "act":
        act = message
        say(t="action", match=act["match"], seq=act["seq"], action=choose(act["legal"]))
    elif kind == "error":
        print(message["code"], message["message"], file=sys.stderr)
        if not message["fatal"] and "seq" in message:  # the answer was bad: give another one
            say(t="action", match=act["match"], seq=act["seq"], action=choose(act["legal"]))
    elif kind == "bye":
        break
