"""Records of self-play: what every game did, as arrays, in checked shards.

A run's folder holds `manifest.json` (the run's parameters, and each finished shard with its SHA-256),
`records/NNNN.npz` and, for the first games, `replays/NNNN.jsonl` (replay.py), one a chunk of games, and
`report.html`. All are whole or not there. A shard holds g games and their m plies, in order:

    game int64[g]            k, the number of the game in the run
    config int32[g]          its place in `configs`
    seed uint64[g]           `game.new_state(seed)` was its start
    agents int16[g, players] the place in `names` of the agent in each seat
    length int64[g]          its plies
    returns float32[g, players], scores int64[g, players]
    ply int32[m]             counted from 0 in each game
    player int8[m]           who decided, -1: all at once
    actions int16[m, slots]  one a slot; int64 where a number is larger
    names str[], configs bytes[]    the agents; {"game": .., "config": ..} as JSON

Where games of one run differ in players or slots, the places that a game lacks hold -1 (returns: NaN; scores: 0).
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .errors import ConfigError, ReplayError
from .files import write_atomic

if TYPE_CHECKING:
    from .replay import Replay

MANIFEST = "manifest.json"
REPORT = "report.html"
VERSION = 1
FILES = {"records": "npz", "replays": "jsonl"}  # folder: suffix
SHARED = ("names", "configs")  # the same in every shard


def load_records(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """The records of a self-play run, its shards put together in order: the arrays listed above.

    path : the run's folder. ReplayError names a file that is missing, or whose SHA-256 is not the manifest's, and
    what of the manifest is damaged.
    """
    folder = Path(path)
    shards = []
    for entry in _read_manifest(folder)["shards"]:
        with np.load(io.BytesIO(_checked_bytes(folder, entry["records"]))) as archive:
            shards.append({name: archive[name] for name in archive.files})
    if not shards:
        raise ReplayError(f"{folder}: no shard is finished yet")
    return {
        name: shards[0][name] if name in SHARED else np.concatenate([shard[name] for shard in shards])
        for name in shards[0]
    }


class Shard:
    """The records of a chunk of games, put together from the parts that were played at once."""

    def __init__(self, games: int, players: int) -> None:
        self._parts: list[tuple[list[int], dict[str, NDArray[Any]]]] = []
        self._length = np.zeros(games, np.int64)
        self._agents = np.full((games, players), -1, np.int16)
        self._returns = np.full((games, players), np.nan, np.float32)
        self._scores = np.zeros((games, players), np.int64)

    def add(self, rows: list[int], agents: Sequence[int], part: dict[str, NDArray[Any]]) -> None:
        """The games of these rows, with these agents in their seats, as `_playout.record` returns them."""
        self._parts.append((rows, part))
        self._length[rows] = part["lengths"]
        self._agents[rows, : len(agents)] = agents
        self._returns[rows, : len(agents)] = part["returns"]
        self._scores[rows, : len(agents)] = part["scores"]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Those of the arrays above that tell what was played."""
        starts = np.cumsum(self._length) - self._length
        ply = np.arange(self._length.sum()) - np.repeat(starts, self._length)
        player = np.empty(len(ply), np.int8)
        slots = max(part["actions"].shape[1] for _, part in self._parts)
        large = max(part["actions"].max(initial=-1) for _, part in self._parts) > np.iinfo(np.int16).max
        actions = np.full((len(ply), slots), -1, np.int64 if large else np.int16)
        for rows, part in self._parts:
            lengths = part["lengths"]
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            places = np.repeat(starts[rows], lengths) + within
            player[places] = part["players"]
            actions[places, : part["actions"].shape[1]] = part["actions"]
        return {
            "agents": self._agents,
            "length": self._length,
            "returns": self._returns,
            "scores": self._scores,
            "ply": ply.astype(np.int32),
            "player": player,
            "actions": actions,
        }


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
        self._lock = -1

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.folder, os.O_RDONLY)
        try:
            self._open()
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)  # and with it the lock, as it would be if the process were killed

    def _open(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"out: {self.folder} is in use by another run") from None
        for name in FILES:
            for leftover in (self.folder / name).glob(".*.tmp"):  # of a run that was killed while it wrote
                leftover.unlink()
        if (self.folder / MANIFEST).exists():
            self._resume(_read_manifest(self.folder))
        elif any(not path.name.startswith(".") for path in self.folder.iterdir()):
            raise ConfigError(f"out: {self.folder} is not empty, and holds no self-play run")
        else:
            self.commit()
        for name in FILES:
            (self.folder / name).mkdir(exist_ok=True)

    def _resume(self, manifest: dict[str, Any]) -> None:
        told = manifest["parameters"]
        for name, value in self._parameters.items():
            if told.get(name) != value:
                values = "" if name == "games" else f": {told.get(name)!r}, not {value!r}"
                raise ConfigError(f"out: {self.folder} holds a run with other {name}{values}")
        for entry in manifest["shards"]:
            for kind in FILES:
                if kind in entry:
                    _checked_bytes(self.folder, entry[kind])
            self.shards[entry["chunk"]] = entry

    def write(self, chunk: int, arrays: dict[str, NDArray[Any]], replays: Sequence[Replay]) -> dict[str, Any]:
        """Write a shard and its replays, if any; what the manifest is to say of them comes back."""
        files = {"records": (_file_name("records", chunk), _pack(arrays))}
        if replays:
            lines = [line + "\n" for replay in replays for line in replay.to_lines()]
            files["replays"] = (_file_name("replays", chunk), "".join(lines).encode())
        for name, data in files.values():
            write_atomic(self.folder / name, data)
        return {kind: {"file": name, "sha256": _sha256(data)} for kind, (name, data) in files.items()}

    def commit(self) -> None:
        """Write the manifest: what it lists is finished."""
        shards = [self.shards[chunk] for chunk in sorted(self.shards)]
        manifest = {"version": VERSION, "parameters": self._parameters, "shards": shards}
        write_atomic(self.folder / MANIFEST, json.dumps(manifest).encode())


def _pack(arrays: dict[str, NDArray[Any]]) -> bytes:
    """The arrays as an .npz file; the same bytes for the same arrays, whenever they are written."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            # np.savez would put the time of day in; a ZipInfo without a date does not
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getbuffer(), zipfile.ZIP_DEFLATED, 1)
    return buffer.getvalue()


def _read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run, every value of the shape that `Store` writes; else ReplayError, which names the key."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise ReplayError(f"{folder}: no self-play run: there is no {MANIFEST}") from None
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"{path}: no manifest: {error}") from None
    try:
        if isinstance(manifest, dict) and manifest.get("version", VERSION) != VERSION:
            raise ReplayError(f"version {manifest['version']!r}; this masume reads {VERSION}")
        _check("", manifest, SHAPE)
        for n, shard in enumerate(manifest["shards"]):
            for kind in FILES.keys() & shard.keys():
                told, wanted = shard[kind]["file"], _file_name(kind, shard["chunk"])
                if told != wanted:
                    raise ReplayError(f"shards[{n}].{kind}.file: {wanted!r} is wanted, not {told!r}")
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}") from None
    return manifest


def _file_name(kind: str, chunk: int) -> str:
    return f"{kind}/{chunk:04d}.{FILES[kind]}"


class _Number(NamedTuple):
    """Of a shape: an int, or any number, of `low` or more, that NumPy can hold."""

    kind: type | UnionType
    low: float


COUNT, POSITIVE, SECONDS = _Number(int, 0), _Number(int, 1), _Number(int | float, 1e-6)
FILE = {"file": str, "sha256": str}
TALLY = {
    "games": POSITIVE, "plies": COUNT, "moves": COUNT, "won": [COUNT], "drawn": COUNT, "busy_s": SECONDS,
    "agents": {"*": (COUNT, COUNT)},
}  # fmt: skip
SHARD = {"chunk": COUNT, "records": FILE, "replays?": FILE, "tallies": {"*": TALLY}, "finished_s": SECONDS}
SHAPE = {"version": POSITIVE, "parameters": dict, "shards": [SHARD]}
"""What a manifest is: of an object each key's shape ("*": of all its keys, "?": may be absent), of an array that of
its items (a tuple: one each)."""


def _check(name: str, value: Any, shape: Any) -> None:
    """ReplayError, which says where, unless the value has the shape."""
    if isinstance(shape, _Number):
        is_number = isinstance(value, shape.kind) and not isinstance(value, bool)
        _wanted(name, value, is_number and shape.low <= value < 2**62, f"a number from {shape.low}")
    elif isinstance(shape, type):
        _wanted(name, value, isinstance(value, shape), shape.__name__)
    elif isinstance(shape, dict):
        _wanted(name, value, isinstance(value, dict), "an object")
        prefix = f"{name}." if name else ""
        keys = {key.removesuffix("?"): part for key, part in shape.items()}
        for key in shape:
            if key not in value and key != "*" and not key.endswith("?"):
                raise ReplayError(f"{prefix}{key}: missing")
        for key, item in value.items():
            if key not in keys and "*" not in keys:
                raise ReplayError(f"{prefix}{key}: unknown key")
            _check(f"{prefix}{key}", item, keys.get("*", keys.get(key)))
    else:
        _wanted(name, value, isinstance(value, list), "an array")
        parts = shape if isinstance(shape, tuple) else shape * len(value)
        _wanted(name, value, len(parts) == len(value), f"an array of {len(parts)}")
        for n, (item, part) in enumerate(zip(value, parts, strict=True)):
            _check(f"{name}[{n}]", item, part)


def _wanted(name: str, value: Any, is_so: bool, what: str) -> None:
    if not is_so:
        raise ReplayError(f"{name or 'manifest'}: {what} is wanted, not {value!r:.60}")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _checked_bytes(folder: Path, entry: dict[str, str]) -> bytes:
    """The bytes of a file that the manifest lists; ReplayError where they are not those that were written."""
    path = folder / entry["file"]
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ReplayError(f"{path}: missing, though {MANIFEST} lists it") from None
    if _sha256(data) != entry["sha256"]:
        raise ReplayError(f"{path}: its SHA-256 is not the one in {MANIFEST}")
    return data
