"""A client of the contests' TCP protocol, with nothing but the standard library: takes items beside it, else wanders.

    python chaser_client.py PORT NAME [GAMES]

Its play depends on its name and on what it sees alone.
"""

import contextlib
import socket
import sys
import time

STEPS = {"u": 1, "l": 3, "r": 5, "d": 7}  # cells of the 3 x 3 around it


def play(port, name, host="127.0.0.1", wait_s=60.0, is_over=lambda: False):
    """Play one game; return whether there was one before `wait_s` had passed."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            link = socket.create_connection((host, port), timeout=60)
            break
        except OSError:
            if time.monotonic() > deadline or is_over():
                return False
            time.sleep(0.01)
    with link, contextlib.suppress(OSError):
        stream = link.makefile("rb")
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        send = lambda text: link.sendall(text.encode() + b"\r\n")  # noqa: E731
        send(name)
        turn = sum(name.encode())
        while stream.readline().strip() == b"@":
            send("gr")
            info = stream.readline().strip().decode()
            if not info.startswith("1"):
                break
            send(choose(info[1:], turn))
            turn += 1
            if not stream.readline().startswith(b"1"):
                break
            send("#")
    return True


def choose(cells, turn):
    """Return the method: a block on the opponent, an item, else a free step."""
    for way, at in STEPS.items():
        if cells[at] == "1" and turn % 3 == 0:
            return f"p{way}"
    for way, at in STEPS.items():
        if cells[at] == "3":
            return f"w{way}"
    free = [way for way, at in STEPS.items() if cells[at] == "0"]
    return f"w{free[turn * 7 // 5 % len(free)]}" if free else "lu"


if __name__ == "__main__":
    print("playing on", sys.argv[1], flush=True)
    print("a word for the log", file=sys.stderr)
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 1):
        play(int(sys.argv[1]), sys.argv[2])
