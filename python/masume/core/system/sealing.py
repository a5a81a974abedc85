"""How bubblewrap seals a program off, and what of /tmp the program sees. Linux only."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from .bounds import Bounds

TMP = Path("/tmp")
NOT_RUN = (126, 127)  # a shell's exit codes for a program that cannot be run, or is not there
UNSEEN = "of /tmp it sees only the folders of what its command names (files-under)"


def seal(bounds: Bounds, command: str = "", path: str | None = None) -> list[str]:
    """Return the beginning of a command that seals it off by bubblewrap; empty without such limits.

    With a limit of files the program has a /tmp of its own, in which the working folder and the folders of what
    `command` names are seen, and cannot be written; `path` is the PATH by which it names programs.
    """
    if not bounds.is_sealed:
        return []
    words = [shutil.which("bwrap") or "/usr/bin/bwrap", "--die-with-parent"]
    if bounds.files_under is None:
        words += ["--dev-bind", "/", "/"]
    else:
        words += ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", str(TMP)]
        for one in _seen(command, path):
            words += ["--ro-bind", one, one]
        words += ["--bind", bounds.files_under, bounds.files_under, "--chdir", os.getcwd()]  # noqa: PTH109
    return words if bounds.network else [*words, "--unshare-net"]


def _seen(command: str, path: str | None) -> list[str]:
    """Return what is below /tmp and must be seen: the working folder, and the folders of the command's programs."""
    named = list(_named(command, path))
    named += [one for script in named for one in _named(_interpreter(script), path)]
    found = {_folder(link) for one in named for link in _links(one)} | {Path.cwd()}
    return sorted(str(one) for one in found if TMP in one.parents)  # folders before those in them


def _named(command: str, path: str | None) -> Iterator[str]:
    """Yield the files and folders that a command of the shell names, also by `path`, as far as they exist."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quote is open: the shell says so
        return
    for word in words:
        one = shutil.which(word, path=path) or word
        if os.path.exists(one):  # noqa: PTH110  # Path raises for a name that is too long
            yield os.path.abspath(one)  # noqa: PTH100


def _interpreter(file: str) -> str:
    """Return the command that runs a script, from its first line; empty if the file is none."""
    try:
        with Path(file).open("rb") as opened:
            first = opened.readline(256)
    except OSError:  # a folder, or a file that only others may read
        return ""
    return os.fsdecode(first[2:].strip()) if first.startswith(b"#!") else ""


def _links(file: str) -> Iterator[str]:
    """Yield a path, and where it leads if it is a link, to the end."""
    for _ in range(40):  # as many as the kernel follows
        yield file
        if not os.path.islink(file):  # noqa: PTH114
            return
        file = os.path.normpath(os.path.join(os.path.dirname(file), os.readlink(file)))  # noqa: PTH115, PTH118, PTH120


def _folder(file: str) -> Path:
    """Return the folder of a program, of which `bin` is a part; the file itself if it is in /tmp."""
    found = Path(file)
    if not found.is_dir():
        found = found.parent
    if found.name == "bin":  # an interpreter has its libraries beside it
        found = found.parent
    return Path(file) if found == TMP else found
