"""A program for the tests of the stdio protocol: its argument selects its behaviour, the same as in programs.c."""

import os
import sys
import time

mode = sys.argv[1]


def say(*lines):
    print(*lines, sep="\n", flush=True)


def move():
    """Read a block and return the command that moves a robot out of our home; exit at the end of the input."""
    if sys.stdin.readline() != "START\n":
        sys.exit(0)
    me = sys.stdin.readline().split()[2]
    command = ""
    for line in iter(sys.stdin.readline, "EOS\n"):
        words = line.split()
        if words[2:3] == [me] and words[6] == "initial":
            command = f"move {words[0]} {words[1]} r 1"
    if mode == "dawdling":
        time.sleep(0.4)
    return command


if mode == "mute":
    time.sleep(1000)
if mode == "deaf":  # reads nothing
    say("deaf", *["finish"] * 100)
    time.sleep(1000)
if mode == "all":  # writes three turns in advance and exits
    say("all", "reset", "finish", "finish now", "finish", "finish")
    sys.exit(0)
if mode == "behind":  # writes the name before it reads anything, then one answer for every block
    say("behind")
else:
    move()
    say({"nameless": " ", "garbage": "\0 a name\tof\x7fmore than twenty characters \r"}.get(mode, mode))
if mode == "no input":
    os.close(0)
    say(*["finish"] * 100)
    time.sleep(1000)
say(move(), "finish")
command = move()
if mode == "pausing":
    time.sleep(0.3)
elif mode == "slow":
    say(command)
    time.sleep(1000)
elif mode == "dead":
    say(command)
    print("no will to live", file=sys.stderr)
    sys.exit(3)
elif mode == "half":  # writes a line without its end
    print(command, end="", flush=True)
    sys.exit(0)
elif mode == "flood":
    while True:
        print(command)
elif mode == "line":
    say(command)
    while True:
        sys.stdout.write("x" * 4096)
elif mode == "garbage":
    sys.stdout.buffer.write(b"\0\377\xe3\n\n\t\nmove\t0\t0\tr\t1\nfinish now\nmove 9 9 r 1\n" + b"x" * 200_000 + b"\n")
    sys.stdout.buffer.write(command.encode() + b" " * 100_000 + b"x\n" + command.encode() + b"\r\n")
elif mode == "many":
    say(*["junk"] * 99_999, command, command)
elif mode == "fork":
    for _ in range(3):
        child = os.fork()
        if child == 0:
            time.sleep(1000)
            os._exit(0)
        print(child, file=sys.stderr, flush=True)
    say(command)
    os._exit(0)
elif mode == "no output":
    say(command)
    os.close(1)
    time.sleep(1000)
say(command, " finish\t")
while True:
    say(move(), "finish")
