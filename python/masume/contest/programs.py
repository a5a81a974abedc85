"""Programs that belong to a contest: copied into its folder when they are handed in, known by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..core.files import make_folder, write_atomic
from ..core.language import say
from ..errors import ConfigError
from .plan import Entry

FOLDER = "programs"
HERE = "{here}"
"""What stands for the folder of the contest in the command of a program."""
MAX_FILES, MAX_BYTES = 2000, 64 << 20
KINDS = ("cmd", "json", "client", "net")
"""Kinds of entries that may name files."""
LEFT_OUT = {".git", "__pycache__", ".venv", "node_modules"}
NET = re.compile("^[^:]+")  # of net:FOLDER:BUDGET
WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s'\"|&;<>()$`\\]+")


def adopt(folder: Path, number: int, play: str) -> tuple[str, str]:
    """Copy the files and folders that an entry's command names into the contest's folder.

    Files of the system, of an environment of Python, and those that are there already are left where they are.

    Parameters
    ----------
    folder : Path
        The folder of the contest.
    number : int
        The entry's number.
    play : str
        What plays for it.

    Returns
    -------
    play : str
        The same with the copies in the place of the files, after `{here}`.
    digest : str
        The SHA-256 of the copies; "" if the command names no file.

    Raises
    ------
    ConfigError
        If there are more than 2,000 files or 64 MiB, or a folder holds a link.
    """
    files = named_files(play)
    if not files:
        return play, digest_of(folder, play)
    where = make_folder(folder / FOLDER)
    names: dict[str, str] = {}
    with tempfile.TemporaryDirectory(dir=where, prefix=".new-") as made:
        copies = Path(made) / "copies"
        for n, (word, source) in enumerate(files.items()):
            name = source.resolve().name
            names[word] = f"{n}-{name}" if name in names.values() else name
            _copy(source, copies / names[word])
        place = f"{number}-{_digest(copies)[:12]}"
        if not (where / place).exists():  # else it was handed in before
            copies.rename(where / place)

    def replaced(found: re.Match[str]) -> str:
        word = found[0]
        return f"{HERE}/{FOLDER}/{place}/{shlex.quote(names[word])}" if word in names else word

    kind, _colon, command = play.partition(":")
    play = f"{kind}:{(NET if kind == 'net' else WORD).sub(replaced, command)}"
    return play, digest_of(folder, play)


def named_files(play: str) -> dict[str, Path]:
    """Return the files and folders that an entry's command names and that are not in the contest's folder, by word."""
    kind, _colon, command = play.partition(":")
    pattern = NET if kind == "net" else WORD
    words = pattern.findall(command) if kind in KINDS else []
    return {word: Path(text) for word in words if _is_own(text := word.strip("'\""))}


def _is_own(text: str) -> bool:
    """Return whether a word names a file or folder that is neither the system's nor an environment's."""
    if not text or HERE in text or len(text) > 4096 or not os.path.exists(text):  # noqa: PTH110 - Path raises
        return False
    if not Path(text).name or (os.sep not in text and shutil.which(text)):
        return False
    path = Path(os.path.abspath(text))  # noqa: PTH100 - a link in an environment leads out of it
    system = {Path(sys.prefix), Path(sys.base_prefix), *map(Path, ("/bin", "/sbin", "/usr", "/opt", "/etc", "/dev"))}
    return not system & {path, *path.parents} and not any((above / "pyvenv.cfg").exists() for above in path.parents)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a folder; raise ConfigError if it is too large or holds anything but files and folders."""
    count = size = 0
    for path in _files(source):
        count, size = count + 1, size + path.stat().st_size
        if count > MAX_FILES or size > MAX_BYTES:
            raise ConfigError(f"play: {source}: expected at most {MAX_FILES} files of {MAX_BYTES >> 20} MiB in all")
        inner = target / path.relative_to(source) if source.is_dir() else target
        inner.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(inner, path.read_bytes(), 0o777 if os.access(path, os.X_OK) else 0o666)


def _files(source: Path) -> Iterator[Path]:
    """Yield the files of a folder in order, or the file itself; raise ConfigError for links and devices."""
    if not source.is_dir():
        if not source.is_file():
            raise ConfigError(f"play: {source}: expected a file or a folder")
        yield source
        return
    for path in sorted(source.iterdir()):
        if path.name in LEFT_OUT:
            continue
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise ConfigError(f"play: {path}: expected files and folders, no links")
        yield from _files(path)


def _digest(folder: Path) -> str:
    """Return the SHA-256 of what is in a folder: names, whether files can be run, and their content."""
    found = hashlib.sha256()
    for path in _files(folder):
        runs = "x" if os.access(path, os.X_OK) and os.name == "posix" else "-"
        data = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()}\0{runs}{len(data)}\0".encode() + data)
    return found.hexdigest()


def digest_of(folder: Path, play: str) -> str:
    """Return the SHA-256 of an entry's files in the contest's folder as they are now; "" if it has none."""
    found = re.search(rf"{re.escape(HERE)}/({FOLDER}/[0-9]+-[0-9a-f]+)/", play)
    return "" if found is None or not (folder / found[1]).is_dir() else _digest(folder / found[1])


def locate(folder: Path, play: str) -> str:
    """Return what plays for an entry, with the folder of the contest in the place of `{here}`."""
    where = str(folder.resolve())
    return play.replace(HERE, where if play.startswith("net:") else shlex.quote(where))


def describe_change(folder: Path, entry: Entry) -> str:
    """Return a line for the organiser if an entry's files are not those that were handed in; "" if they are."""
    now = digest_of(folder, entry.play)
    if now == entry.sha256:
        return ""
    return say(
        "{name}: its files in {folder} have changed since they were handed in: SHA-256 {then}..., now {now}...",
        name=entry.name, folder=folder / FOLDER, then=entry.sha256[:12], now=now[:12],
    )  # fmt: skip
