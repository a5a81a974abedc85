"""The command line inside a test, and Python that is interrupted."""

import json
import signal
import subprocess
import sys
import time

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


def interrupted(code):
    """What Python says on stderr when Ctrl-C comes half a second after the code has printed "go"."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == b"go\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    return told
