"""Run the command line in a test, a Python that is interrupted, and programs; see processes end and files close."""

import contextlib
import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from masume import cli


def run(capsys, *arguments):
    """Return (exit code, stdout, stderr) of the command."""
    code = cli.main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def run_json(capsys, *arguments):
    """Return what the command prints with --json; it must succeed and write nothing to stderr."""
    code, output, error = run(capsys, *arguments, "--json")
    assert (code, error) == (0, "")
    return json.loads(output)


def interrupt(code):
    """Return Python's stderr when Ctrl-C arrives half a second after the code has printed "go"."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == b"go\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    return told


def programs(folder, language, tmp_path_factory):
    """Return a function from a mode to the command that runs the folder's test program, in Python or in C."""
    if language == "python":
        return lambda mode: f"{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'programs.py'))} '{mode}'"
    binary = tmp_path_factory.mktemp("c") / "programs"
    subprocess.run(["cc", "-O1", "-o", binary, folder / "programs.c"], check=True)
    return lambda mode: f"{shlex.quote(str(binary))} '{mode}'"


def runs(pid):
    """Return whether a process runs; a zombie, which waits to be reaped by its parent, does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def all_end(pids, within_s=10):
    """Return whether all processes end soon: the system may take a moment to remove a killed process."""
    end = time.monotonic() + within_s
    while any(map(runs, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def children():
    """Return the unreaped child processes of this process, including those of other tests."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread of another test that has just ended
            found.update((task / "children").read_text(encoding="utf-8").split())
    return found


def open_files():
    """Return the number of open files of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())
