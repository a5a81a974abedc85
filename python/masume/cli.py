"""masume: the command line. What a command takes and does is in its module of `masume.commands`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

import masume

from . import errors
from .commands import NAMES, command
from .commands.common import FAILED, add_commands
from .commands.completion import complete
from .core import system
from .render import escape_text

OK, INTERRUPTED = 0, 130
EXPECTED = tuple(getattr(errors, name) for name in errors.__all__)
EXAMPLE = "masume play chaser --agents greedy human"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0, 1 for an error of masume's, 2 for bad usage, 130 for Ctrl-C."""
    completes = "_ARGCOMPLETE" in os.environ  # a shell asks what may follow in its line
    given = os.environ["COMP_LINE"].split()[1:] if completes else sys.argv[1:] if argv is None else argv
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a sign still shows the rest
    system.prepare_terminal()
    is_named = len(given) > 0 and given[0] in NAMES
    found = parser(given[:1] if is_named else NAMES)
    if completes:
        complete(found)
    arguments = found.parse_args(given)
    if "" not in sys.path:
        sys.path.insert(0, "")  # py:MODULE:ATTR is first looked for where the command is given
    try:
        command(arguments.command).run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("masume: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except EXPECTED as error:
        print(f"masume: {escape_text(str(error).partition(chr(10))[0])}", file=sys.stderr)
        return FAILED
    except OSError as error:
        where = "" if error.filename is None else f"{escape_text(str(error.filename))}: "
        print(f"masume: {where}{error.strerror or error}", file=sys.stderr)
        return FAILED
    return OK


class _Version(argparse.Action):
    """Print the version when it is asked for: reading it takes longer than parsing."""

    def __call__(self, parser: argparse.ArgumentParser, *ignored: object) -> None:
        print(f"masume {masume.__version__}")
        parser.exit()


def parser(names: Sequence[str] = NAMES) -> argparse.ArgumentParser:
    """What parses a command line; of these commands alone, where it is known which one is given: each is an import."""
    found = argparse.ArgumentParser(
        prog="masume", description="Exact, fast engines for grid games.", epilog=f"example: {EXAMPLE}"
    )
    found.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    found.set_defaults(json=False, seed=None)
    add_commands(found, {name: command(name) for name in names}, "command")
    return found
