"""Program for the referee's tests: does what its argument says, as tests/programs.c does."""

import os
import signal
import sys
import time


def echo():
    for line in sys.stdin:
        print(line, end="", flush=True)


mode = sys.argv[1]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
if mode == "ahead":
    print("one\ntwo\nthree", flush=True)
elif mode == "slow":
    time.sleep(1000)
elif mode == "dead":
    print("no memory of what it was", file=sys.stderr)
    sys.exit(3)
elif mode == "crash":
    os.abort()
elif mode == "flood":
    while True:
        print("0123456789012345678901234567890123456789")
elif mode == "line":
    while True:
        sys.stdout.write("x" * 4096)
elif mode == "log":
    for number in range(300_000):
        print(number, file=sys.stderr)
elif mode == "garbage":
    sys.stdout.buffer.write(b"\0\377\r\n\r\r\n\n")
    sys.stdout.flush()
elif mode == "fork":
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            time.sleep(1000)
            os._exit(0)
        children.append(child)
    print(*children, sep="\n", flush=True)
    os._exit(0)
elif mode == "scatter":  # into new sessions and groups, each with one more below a parent that has ended
    read, write = os.pipe()
    for leave in (os.setsid, lambda: os.setpgid(0, 0)):
        if os.fork() == 0:
            leave()
            for _ in range(2):
                if os.fork() == 0:
                    os.setsid()
                    os.write(write, b"%d\n" % os.getpid())
                    time.sleep(1000)
            os.write(write, b"%d\n" % os.getpid())
            if leave is os.setsid:
                time.sleep(1000)
            os._exit(0)
    with os.fdopen(read, "rb") as pids:
        for _ in range(6):
            print(int(pids.readline()), flush=True)
    time.sleep(1000)
elif mode == "environment":
    print(*sorted(os.environ), flush=True)
elif mode == "no output":
    os.close(1)
    time.sleep(1000)
elif mode == "no input":
    os.close(0)
    print("deaf", flush=True)
    time.sleep(1000)
elif mode == "unread":
    print("talks only", flush=True)
    time.sleep(1000)
elif mode == "memory":
    try:
        block = b"\1" * 2**30
    except MemoryError:
        print("no memory", file=sys.stderr)
        sys.exit(4)
    print("has it", flush=True)
echo()
