"""masume: the command line. Each command's arguments and actions are in its module of `masume.commands`."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence

import masume

from . import errors
from .commands import NAMES, command
from .commands.common import FAILED, LANG_HELP, Parser, TranslatedHelp, add_commands, unquoted
from .commands.completion import complete
from .commands.output import indent
from .core import system
from .core.language import LANGUAGES, choose_language
from .core.language import translate as _
from .render import escape_text

OK, INTERRUPTED = 0, 130
EXPECTED = tuple(getattr(errors, name) for name in errors.__all__)
EXAMPLE = "masume play chaser --agents greedy human"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0, 1 for an error of masume, 2 for bad usage, 130 for Ctrl-C."""
    completes = "_ARGCOMPLETE" in os.environ  # a shell asks for completions
    words = os.environ["COMP_LINE"].split()[1:] if completes else sys.argv[1:] if argv is None else argv
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals that cannot show every character
    system.prepare_terminal()
    choose_language(words)
    first = words[:1]
    needed = first if first and first[0] in NAMES else [] if first == ["--version"] else NAMES  # the modules of others
    root = parser(needed)
    if completes:
        complete(root)
    arguments = root.parse_args(words)
    if "" not in sys.path:
        sys.path.insert(0, "")  # py:MODULE:ATTR is first searched in the current folder
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            command(arguments.command).run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"masume: {_('interrupted')}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except EXPECTED as error:
        message = str(error).partition("\n")[0]
        message += unquoted(words) if message.startswith("agents:") else ""
        print(f"masume: {escape_text(message)}", file=sys.stderr)
        if isinstance(error, errors.AgentError) and error.log:
            print(indent(error.log), file=sys.stderr)
        return FAILED
    except OSError as error:
        where = "" if error.filename is None else f"{escape_text(str(error.filename))}: "
        print(f"masume: {where}{error.strerror or error}", file=sys.stderr)
        return FAILED
    return OK


def _print_warning(message: Warning | str, *_place: object, **_more: object) -> None:
    """Print a warning as an error is printed, in one line; a place in the code says nothing to people."""
    print(f"masume: {escape_text(str(message))}", file=sys.stderr)


class _Version(argparse.Action):
    """Print the version; it is looked up only on demand, since that takes longer than parsing."""

    def __call__(self, parser: argparse.ArgumentParser, *ignored: object) -> None:
        print(f"masume {masume.__version__}")
        parser.exit()


def parser(names: Sequence[str] = NAMES) -> argparse.ArgumentParser:
    """Return the parser of the command line, for these commands only: each additional command is an import."""
    found = Parser(
        prog="masume", description=_("Exact, fast engines for grid games."), epilog=f"{_('example:')} {EXAMPLE}",
        formatter_class=TranslatedHelp,
    )  # fmt: skip
    found.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    found.add_argument("--lang", choices=LANGUAGES, help=LANG_HELP)
    found.set_defaults(json=False, seed=None)
    add_commands(found, {name: command(name) for name in names}, "command")
    return found
