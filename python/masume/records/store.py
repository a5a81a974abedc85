"""Folder of a self-play run: files that are complete or absent, and a manifest that only grows.

`manifest.jsonl` begins with the parameters of the run, `{"version": 2, "parameters": {..}}`, followed by one line for
each completed chunk of games, in order of completion:

    {"chunk": n, "files": {kind: {"file": .., "sha256": ..}}, "tallies": {game: {..}}, "finished_s": seconds}

A run of several kinds of games has files of each kind, in folders named after them: `records/chaser/0000.npz`. Its
parameters hold `kinds`, what each kind records.

Each line has a checksum (reading.py). A line is written after the files that it names.

At a URL nothing can be appended, and every worker is a writer: after playing a chunk it writes the files and then their
line, to `manifest/NNNN.jsonl`. A run that ends adds these lines to `manifest.jsonl`, so that fewer files are read; none
is ever deleted. Readers take the lines of both.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..core.files import locked, remove_temporary, write_atomic
from ..core.growing import GrowingFile, split_lines
from ..core.shapes import COUNT, POSITIVE, Number
from ..errors import ConfigError, ReplayError
from .places import Place, Remote, is_url, place_of
from .reading import parse_json, parsing, seal, unseal

MANIFEST = "manifest.jsonl"
LINES = "manifest"
"""The folder of lines that are not in the manifest yet."""
KIND_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Of a game that has files of its own, in folders of that name: `records/chaser/0000.npz`."""
LINE = re.compile(r"\d{4,}\.jsonl")
READERS = 16  # threads that read such lines
REPORT = "report.html"
VERSION = 2
REPLAYS = "replays"
KINDS = {"records": "npz", "games": "parquet", "plies": "parquet", REPLAYS: "jsonl"}
"""The kinds of files of a chunk (also the names of their folders), and their suffixes."""


class Store:
    """Folder of a run: a context manager that locks it.

    place : created if missing. parameters : everything that decides the run's files, as plain JSON types. shards : the
    lines of the manifest, by chunk. Entering raises ConfigError if the folder holds a run with other parameters or
    anything else, or is in use, and ReplayError if its files are damaged.
    """

    outbox: Outbox | None = None
    """What other processes save chunks with; None: only this one writes."""

    def __init__(self, folder: Path, parameters: dict[str, Any]) -> None:
        self.place: Place = place_of(folder)
        self.folder = folder
        self.shards: dict[int, dict[str, Any]] = {}
        self._parameters = parameters
        self._lock = contextlib.ExitStack()
        self._manifest = GrowingFile(folder / MANIFEST)
        self._appending = threading.Lock()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(locked(self.folder))
            self._open()
            self._lock = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def _open(self) -> None:
        if self._manifest.path.exists():
            manifest = _read_run(self.place, self._parameters)
            for shard in manifest.shards:
                for entry in shard["files"].values():
                    read_checked(self.place, entry)
                self.shards[shard["chunk"]] = shard
            self._manifest.mend()
        elif any(not path.name.startswith(".") for path in self.folder.iterdir()):
            raise ConfigError(f"out: {self.folder} is not empty, and holds no self-play run")
        else:
            self._manifest.replace(seal({"version": VERSION, "parameters": self._parameters}))
        remove_temporary(self.folder, (MANIFEST, REPORT).__contains__)  # the folder is known to be this run's
        for kind in all_kinds(self._parameters):
            remove_temporary(self.folder / kind, re.compile(rf"\d{{4,}}\.{suffix_of(kind)}").fullmatch)

    def save(
        self, chunk: int, files: Mapping[str, bytes], tallies: Mapping[str, Any], clock: Callable[[], float]
    ) -> None:
        """Write the files of a chunk, given by kind, and then its line.

        clock : returns the seconds of the run so far. Raises OSError, which names what cannot be written.
        """
        for kind in files:
            (self.folder / kind).mkdir(parents=True, exist_ok=True)
        entries = _write(lambda name, data: write_atomic(self.folder / name, data), chunk, files)
        with self._appending:
            shard = _shard(chunk, entries, tallies, clock())
            self._manifest.append(seal(shard))
            self.shards[chunk] = shard

    def write_report(self, text: str) -> None:
        """Write the report; raise OSError if it cannot be written."""
        write_atomic(self.folder / REPORT, text.encode())


class RemoteStore:
    """A run at a URL: a context manager with what a Store has, except that nothing is locked.

    Two runs with the same parameters write equal files there; another run is refused.
    """

    def __init__(self, place: Remote, parameters: dict[str, Any]) -> None:
        self.place = place
        self.shards: dict[int, dict[str, Any]] = {}
        self.outbox = Outbox(place, 0.0)
        self._parameters = parameters
        self._listed: set[int] = set()  # chunks with lines in the manifest itself

    def __enter__(self) -> Self:
        try:
            self.place.read(MANIFEST)
        except (FileNotFoundError, NotADirectoryError):
            if not self.place.is_empty():
                raise ConfigError(f"out: {self.place} is not empty, and holds no self-play run") from None
            self.place.write(MANIFEST, self._header())
        else:
            manifest = _read_run(self.place, self._parameters)
            self.shards = {shard["chunk"]: shard for shard in manifest.shards}
            self._listed = {shard["chunk"] for shard in manifest.shards[: manifest.listed]}
            self._check_files()
        self.place.remove_temporary("", LINES, *all_kinds(self._parameters))
        spent = max((shard["finished_s"] for shard in self.shards.values()), default=0.0)
        self.outbox = Outbox(self.place, time.time() - spent)
        return self

    def _check_files(self) -> None:
        """Raise ReplayError if a file that a line lists is missing; readers compare what is in it."""
        there = {f"{kind}/{name}" for kind in all_kinds(self._parameters) for name in self.place.names(kind)}
        for shard in self.shards.values():
            for entry in shard["files"].values():
                if entry["file"] not in there:
                    raise ReplayError(f"{self.place.at(entry['file'])}: missing, though {MANIFEST} lists it")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self.shards.keys() != self._listed:
            lines = sorted(self.shards.values(), key=lambda shard: (shard["finished_s"], shard["chunk"]))
            self.place.write(MANIFEST, self._header() + b"".join(map(seal, lines)))

    def _header(self) -> bytes:
        return seal({"version": VERSION, "parameters": self._parameters})

    def save(
        self, chunk: int, files: Mapping[str, bytes], tallies: Mapping[str, Any], clock: Callable[[], float]
    ) -> None:
        """Do as `Store.save`."""
        self.shards[chunk] = self.outbox.save(chunk, files, tallies)

    def write_report(self, text: str) -> None:
        """Write the report; raise OSError if it cannot be written."""
        self.place.write(REPORT, text.encode())


class Outbox(NamedTuple):
    """What any process saves chunks of a run with. began : time of day (s) at which the run began, without pauses."""

    place: Remote
    began: float

    def save(self, chunk: int, files: Mapping[str, bytes], tallies: Mapping[str, Any]) -> dict[str, Any]:
        """Write the files of a chunk and then its line, which is returned; raise OSError, which names the file."""
        entries = _write(self.place.write, chunk, files)
        shard = _shard(chunk, entries, tallies, time.time() - self.began)
        self.place.write(line_name(chunk), seal(shard))
        return shard


def open_store(out: str | os.PathLike[str], parameters: dict[str, Any]) -> Store | RemoteStore:
    """Return the store of a run in a folder or at a URL, not entered yet."""
    return RemoteStore(Remote(str(out)), parameters) if is_url(out) else Store(Path(out), parameters)


def _write(write: Callable[[str, bytes], None], chunk: int, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Write the files of a chunk, given by kind; return their entries in its line."""
    entries = {}
    for kind, data in files.items():
        name = file_name(kind, chunk)
        write(name, data)
        entries[kind] = {"file": name, "sha256": hashlib.sha256(data).hexdigest()}
    return entries


def _shard(chunk: int, entries: Mapping[str, Any], tallies: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return the line of a chunk."""
    return {"chunk": chunk, "files": entries, "tallies": tallies, "finished_s": max(round(seconds, 6), 1e-6)}


def _read_run(place: Place, parameters: Mapping[str, Any]) -> Manifest:
    """Return the manifest of the run; raise ConfigError if it has other parameters."""
    manifest = read_manifest(place)
    for name, value in parameters.items():
        told = manifest.parameters.get(name)
        if told != value:
            values = "" if name in ("games", "kinds") else f": {told!r}, not {value!r}"
            raise ConfigError(f"out: {place} holds a run with other {name}{values}")
    return manifest


def file_kind(kind: str, game: str) -> str:
    """Return the kind of the files of one game; game : its name, "" for files of all games together."""
    return f"{kind}/{game}" if game else kind


def all_kinds(parameters: Mapping[str, Any]) -> list[str]:
    """Return the kinds of files that a run with these parameters may have."""
    return [
        *KINDS,
        *(file_kind(kind, game) for game in parameters.get("kinds", ()) for kind in KINDS if kind != REPLAYS),
    ]


def suffix_of(kind: str) -> str:
    """Return the suffix of files of a kind."""
    return KINDS[kind.partition("/")[0]]


def file_name(kind: str, chunk: int) -> str:
    """Return the path of a chunk's file, relative to the run's folder."""
    return f"{kind}/{chunk:04d}.{suffix_of(kind)}"


def line_name(chunk: int) -> str:
    """Return the path of a chunk's line at a URL, relative to it."""
    return f"{LINES}/{chunk:04d}.jsonl"


def read_checked(folder: Path | Place, entry: Mapping[str, str]) -> bytes:
    """Return the bytes of a file that the manifest lists; raise ReplayError if they differ from those written."""
    place = place_of(folder)
    try:
        data = place.read(entry["file"])
    except (FileNotFoundError, NotADirectoryError):
        raise ReplayError(f"{place.at(entry['file'])}: missing, though {MANIFEST} lists it") from None
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ReplayError(f"{place.at(entry['file'])}: its SHA-256 is not the one in {MANIFEST}")
    return data


# -- reading a manifest ---------------------------------------------------------------------------


class Manifest(NamedTuple):
    """Content of a manifest. shards : in order of completion, then those with a line of their own. listed : how many
    of them `manifest.jsonl` describes.
    """

    parameters: dict[str, Any]
    shards: list[dict[str, Any]]
    listed: int


def read_manifest(folder: Path | Place) -> Manifest:
    """Return the manifest of a run, checked by its shape; ReplayError names file, line and key."""
    place = place_of(folder)
    path = place.at(MANIFEST)
    try:
        data = place.read(MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        raise ReplayError(f"{place}: not a self-play run: {MANIFEST} is missing") from None
    lines = split_lines(data)
    if not lines:
        raise ReplayError(f"{path}: not a manifest: it has no complete line")
    values: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        with parsing(f"{path}:{number}"):
            value = unseal(line, _header_shape(line) if number == 1 else SHARD)
            if number > 1:
                _check_files(value, values[0]["parameters"])
            else:
                _check_kinds(value["parameters"])
            values.append(value)
    chunks: dict[int, int] = {}
    for number, shard in enumerate(values[1:], 2):
        if shard["chunk"] in chunks:
            raise ReplayError(f"{path}:{number}: chunk: {shard['chunk']} is in line {chunks[shard['chunk']]} too")
        chunks[shard["chunk"]] = number
    shards = values[1:] + _read_lines(place, values[0]["parameters"], chunks)
    return Manifest(values[0]["parameters"], shards, len(values) - 1)


def _read_lines(place: Place, parameters: Mapping[str, Any], listed: Mapping[int, Any]) -> list[dict[str, Any]]:
    """Return the shards with a line of their own that `manifest.jsonl` does not list."""
    names = [name for name in place.names(LINES) if LINE.fullmatch(name) and int(name.partition(".")[0]) not in listed]
    if not names:
        return []
    with ThreadPoolExecutor(READERS) as pool:
        return list(pool.map(lambda name: _read_line(place, parameters, name), names))


def _read_line(place: Place, parameters: Mapping[str, Any], name: str) -> dict[str, Any]:
    name = f"{LINES}/{name}"
    data = place.read(name)
    with parsing(place.at(name)):
        if not data.endswith(b"\n"):
            raise ReplayError("it has no complete line")
        shard = unseal(data[:-1], SHARD)
        _check_files(shard, parameters)
        if name != line_name(shard["chunk"]):
            raise ReplayError(f"chunk: expected that of the file's name, got {shard['chunk']}")
    return shard


def _header_shape(line: bytes) -> dict[str, Any]:
    """Return the shape of the first line; raise ReplayError for another version, whose lines may have other shapes."""
    header = parse_json(line)
    if not isinstance(header, dict):
        return HEADER
    if header.get("version", VERSION) != VERSION:
        raise ReplayError(f"version: expected {VERSION}, got {header['version']!r:.60}")
    has_kinds = isinstance(header.get("parameters"), dict) and "kinds" in header["parameters"]
    return HEADER | {"parameters": PARAMETERS | {"kinds": {"*": KIND}}} if has_kinds else HEADER


def _check_kinds(parameters: Mapping[str, Any]) -> None:
    """Raise ReplayError for a kind of game that could not have files of its own."""
    for name in parameters.get("kinds", ()):
        if not KIND_NAME.fullmatch(name):
            raise ReplayError(f"parameters.kinds: expected names of games, got {name!r:.60}")


def _check_files(shard: dict[str, Any], parameters: Mapping[str, Any]) -> None:
    kinds = all_kinds(parameters)
    for kind, entry in shard["files"].items():
        if kind not in kinds:
            raise ReplayError(f"files.{kind}: unknown key")
        wanted = file_name(kind, shard["chunk"])
        if entry["file"] != wanted:
            raise ReplayError(f"files.{kind}.file: expected {wanted!r}, got {entry['file']!r}")


SECONDS = Number(int | float, 1e-6)
FIELD = {"of": str, "dtype": str, "shape": [COUNT]}
PARAMETERS = {
    "games": [{"game": str, "config": dict | None}], "agents": [str], "seed": COUNT, "num_games": int | None,
    "seconds": int | float | None, "replays": int | None, "chunk": POSITIVE, "records": str, "keep": [str],
    "num_actions": POSITIVE, "fields": {"*": FIELD},
}  # fmt: skip
KIND = {"num_actions": POSITIVE, "fields": {"*": FIELD}}
HEADER: dict[str, Any] = {"version": POSITIVE, "parameters": PARAMETERS}
TALLY = {
    "games": POSITIVE, "plies": POSITIVE, "moves": POSITIVE, "won": [COUNT], "drawn": COUNT, "busy_s": SECONDS,
    "agents": {"*": (COUNT, COUNT)},
}  # fmt: skip
FILES = {"*": {"file": str, "sha256": str}}
SHARD = {"chunk": COUNT, "files": FILES, "tallies": {"*": TALLY}, "finished_s": SECONDS}
"""The shapes of lines (core/shapes.py)."""
