"""The folder of a self-play run: files that are whole or not there, and a manifest that only grows.

`manifest.jsonl` begins with a line of what the run plays, `{"version": 2, "parameters": {..}}`, and goes on with one
for each chunk of games that is finished, in the order in which they were:

    {"chunk": n, "files": {kind: {"file": .., "sha256": ..}}, "tallies": {game: {..}}, "finished_s": seconds}

Each line has a checksum of its own (reading.py). A line stands there when the files that it names do. A last line
without its end is what a kill or a full disk has left: it does not count, and is cut off when the run goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..core.files import append, locked, read_regular, remove_temporary, write_atomic
from ..errors import ConfigError, ReplayError
from .reading import COUNT, POSITIVE, Number, parse_json, parsing, seal, unseal

MANIFEST = "manifest.jsonl"
REPORT = "report.html"
VERSION = 2
KINDS = {"records": "npz", "games": "parquet", "plies": "parquet", "replays": "jsonl"}
"""The files of a chunk: the folder that they are in, and their suffix."""


class Store:
    """The folder of a run, a context manager that locks it.

    folder : made if need be. parameters : what decides the run's files, as plain JSON types; ConfigError on entry
    where the folder holds a run of others, something else, or is in use, ReplayError where its files are damaged.
    shards : what the manifest lists, by chunk.
    """

    def __init__(self, folder: Path, parameters: dict[str, Any]) -> None:
        self.folder = folder
        self.shards: dict[int, dict[str, Any]] = {}
        self._parameters = parameters
        self._lock = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(locked(self.folder))
            self._open()
            self._lock = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def _open(self) -> None:
        path = self.folder / MANIFEST
        if path.exists():
            self._resume(path)
        elif any(not path.name.startswith(".") for path in self.folder.iterdir()):
            raise ConfigError(f"out: {self.folder} is not empty, and holds no self-play run")
        else:
            write_atomic(path, seal({"version": VERSION, "parameters": self._parameters}))
        remove_temporary(self.folder, (MANIFEST, REPORT).__contains__)  # only now: the folder is that of this run
        for kind, suffix in KINDS.items():
            remove_temporary(self.folder / kind, re.compile(rf"\d{{4,}}\.{suffix}").fullmatch)

    def _resume(self, path: Path) -> None:
        manifest = read_manifest(self.folder)
        for name, value in self._parameters.items():
            told = manifest.parameters.get(name)
            if told != value:
                values = "" if name == "games" else f": {told!r}, not {value!r}"
                raise ConfigError(f"out: {self.folder} holds a run with other {name}{values}")
        for shard in manifest.shards:
            for entry in shard["files"].values():
                read_checked(self.folder, entry)
            self.shards[shard["chunk"]] = shard
        os.truncate(path, manifest.size)

    def write(self, chunk: int, files: Mapping[str, bytes]) -> dict[str, Any]:
        """Write the files of a chunk, given by kind; what `commit` is to be told of them comes back.

        OSError names the file that could not be written.
        """
        entries = {}
        for kind, data in files.items():
            (self.folder / kind).mkdir(exist_ok=True)
            name = file_name(kind, chunk)
            write_atomic(self.folder / name, data)
            entries[kind] = {"file": name, "sha256": hashlib.sha256(data).hexdigest()}
        return entries

    def commit(self, shard: dict[str, Any]) -> None:
        """Add a line to the manifest: a chunk is finished. OSError where that cannot be written."""
        append(self.folder / MANIFEST, seal(shard))
        self.shards[shard["chunk"]] = shard


def file_name(kind: str, chunk: int) -> str:
    """Where a file of a chunk lies, below the run's folder."""
    return f"{kind}/{chunk:04d}.{KINDS[kind]}"


def read_checked(folder: Path, entry: Mapping[str, str]) -> bytes:
    """The bytes of a file that the manifest lists; ReplayError where they are not those that were written."""
    path = folder / entry["file"]
    try:
        data = read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        raise ReplayError(f"{path}: missing, though {MANIFEST} lists it") from None
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ReplayError(f"{path}: its SHA-256 is not the one in {MANIFEST}")
    return data


# -- reading a manifest ---------------------------------------------------------------------------


class Manifest(NamedTuple):
    """What a manifest says. shards : in the order in which they were finished. size : bytes of its whole lines."""

    parameters: dict[str, Any]
    shards: list[dict[str, Any]]
    size: int


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run, every value of the shape that `Store` writes; else ReplayError: file, line, key."""
    path = folder / MANIFEST
    try:
        data = read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        raise ReplayError(f"{folder}: no self-play run: there is no {MANIFEST}") from None
    size = data.rfind(b"\n") + 1
    lines = data[:size].split(b"\n")[:-1]
    if not lines:
        raise ReplayError(f"{path}: no manifest: it has no line")
    values = []
    for number, line in enumerate(lines, 1):
        with parsing(f"{path}:{number}"):
            if number == 1:
                _check_version(line)
            value = unseal(line, HEADER if number == 1 else SHARD)
            if number > 1:
                _check_files(value)
            values.append(value)
    chunks: dict[int, int] = {}
    for number, shard in enumerate(values[1:], 2):
        if shard["chunk"] in chunks:
            raise ReplayError(f"{path}:{number}: chunk: {shard['chunk']} is in line {chunks[shard['chunk']]} too")
        chunks[shard["chunk"]] = number
    return Manifest(values[0]["parameters"], values[1:], size)


def _check_version(line: bytes) -> None:
    """ReplayError for a manifest of another version, whose lines may have another shape."""
    header = parse_json(line)
    if isinstance(header, dict) and header.get("version", VERSION) != VERSION:
        raise ReplayError(f"version {header['version']!r:.60}; this masume reads {VERSION}")


def _check_files(shard: dict[str, Any]) -> None:
    for kind, entry in shard["files"].items():
        if kind not in KINDS:
            raise ReplayError(f"files.{kind}: unknown key")
        wanted = file_name(kind, shard["chunk"])
        if entry["file"] != wanted:
            raise ReplayError(f"files.{kind}.file: {wanted!r} is wanted, not {entry['file']!r}")


SECONDS = Number(int | float, 1e-6)
FIELD = {"of": str, "dtype": str, "shape": [COUNT]}
PARAMETERS = {
    "games": [{"game": str, "config": dict | None}], "agents": [str], "seed": COUNT, "num_games": int | None,
    "seconds": int | float | None, "replays": int | None, "chunk": POSITIVE, "records": str, "keep": [str],
    "num_actions": POSITIVE, "fields": {"*": FIELD},
}  # fmt: skip
HEADER = {"version": POSITIVE, "parameters": PARAMETERS}
TALLY = {
    "games": POSITIVE, "plies": POSITIVE, "moves": POSITIVE, "won": [COUNT], "drawn": COUNT, "busy_s": SECONDS,
    "agents": {"*": (COUNT, COUNT)},
}  # fmt: skip
FILES = {"*": {"file": str, "sha256": str}}
SHARD = {"chunk": COUNT, "files": FILES, "tallies": {"*": TALLY}, "finished_s": SECONDS}
"""The shapes of lines (`check_shape`)."""
