"""The command line inside a test, Python that is interrupted, test programs, and processes that are to end."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from masume import cli


def run(capsys, *arguments):
    """(exit code, stdout, stderr) of the command."""
    code = cli.main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def run_json(capsys, *arguments):
    """What the command prints with --json; it must succeed, and say nothing else."""
    code, output, error = run(capsys, *arguments, "--json")
    assert (code, error) == (0, "")
    return json.loads(output)


def interrupt(code):
    """What Python says on stderr when Ctrl-C comes half a second after the code has printed "go"."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == b"go\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    return told


def programs(folder, language, tmp_path_factory):
    """What makes the command that runs the folder's test program, in Python or in C, in a mode."""
    if language == "python":
        return lambda mode: f"{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'programs.py'))} '{mode}'"
    binary = tmp_path_factory.mktemp("c") / "programs"
    subprocess.run(["cc", "-O1", "-o", binary, folder / "programs.c"], check=True)
    return lambda mode: f"{shlex.quote(str(binary))} '{mode}'"


def runs(pid):
    """Whether a process runs; a zombie, which waits for whoever has adopted it, does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def all_end(pids, within_s=10):
    """Whether none of the processes runs soon: who is killed is gone when the system gets round to it."""
    end = time.monotonic() + within_s
    while any(map(runs, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
