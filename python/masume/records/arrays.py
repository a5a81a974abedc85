"""Records of self-play: every game as arrays, in checked shards (docs/records.md describes the whole format).

A shard holds g games, their m plies in order, and w entries of policies:

    game int64[g]            k, the number of the game in the run
    config int32[g]          its index in `configs`
    seed uint64[g]           the game starts from `game.new_state(seed)`
    agents int16[g, players] the index in `names` of the agent in each seat
    length int64[g]          its number of plies
    returns float32[g, players], scores int64[g, players]
    ply int32[m]             counted from 0 in each game
    player int8[m]           the player to move, -1: all at once
    actions int16[m, slots]  one per slot; int64 if actions are larger than codes

and optionally

    legal uint32[m, slots, words]    the legal codes: bit c % 32 of word c // 32 is code c
    a field of the observation       [m, *shape], seen by the player to move; [m, players, *shape] if all
                                     move at once
    value float32[m, players]        the result that each agent expected for its seat
    policy_size int32[m]             number of the following entries that belong to the ply
    policy_slot int8[w], policy_code int16[w], policy_weight float32[w]   the agent's weight of a code

If games of one run differ in players or slots, unused places hold -1; in returns and value NaN, in scores and legal 0.
A run of several kinds of games (`chaser`, `nezumi`) keeps a shard of each kind, with that kind's own fields; readers
get the kinds joined, as above, or one kind alone (`Records.of`).
"""

from __future__ import annotations

import copy
import dataclasses
import io
import itertools
import json
import os
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core import _playout
from ..core._game import DTYPES as CODES
from ..core.config import choice, integer
from ..core.extras import extra
from ..core.rng import mix
from ..errors import ConfigError, ReplayError
from .packed import unpack_npz, unpack_parquet
from .places import Place, place_of
from .reading import load_fields, parsing
from .store import KIND_NAME, MANIFEST, file_kind, read_checked, read_manifest

if TYPE_CHECKING:
    import pyarrow as pa

    from ..game import Game

Arrays = dict[str, NDArray[Any]]

DTYPES = tuple(np.dtype(code).name for code in CODES)
FORMATS = {"npz": ("records",), "parquet": ("games", "plies")}
"""The kinds of files that a shard has in each format of records."""
EMPTY = {"agents": -1, "returns": np.nan, "actions": -1, "value": np.nan}
"""The fill value of places that a game does not use; 0 for all other arrays."""
BASIC = ("game", "config", "seed", "agents", "length", "returns", "scores", "ply", "player", "actions")
POLICY = ("policy_size", "policy_slot", "policy_code", "policy_weight")
COUNTED = {"game": "games", "ply": "plies"}
"""The counter of a tally that gives the number of rows of each kind."""
CODES_MAX = 2**15  # of an int16
MIXED_SHARDS = 4  # number of shards that `batches` draws from at a time


@dataclasses.dataclass(frozen=True)
class RecordField:
    """An array of a record.

    Attributes
    ----------
    of : {"game", "ply", "policy"}
        The meaning of a row.
    dtype : str
        Name of the NumPy dtype.
    shape : tuple of int
        Shape of a row.
    """

    of: str
    dtype: str
    shape: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the field as plain JSON types."""
        return {"of": self.of, "dtype": self.dtype, "shape": list(self.shape)}

    def filled(self, name: str, rows: int) -> NDArray[Any]:
        """Return an array of `rows` empty rows."""
        return np.full((rows, *self.shape), EMPTY.get(name, 0), self.dtype)


@dataclasses.dataclass(frozen=True)
class Kind:
    """Games of one name in a run of several. num_actions : codes that they have at most. fields : of their records."""

    num_actions: int
    fields: Mapping[str, RecordField]

    def to_dict(self) -> dict[str, Any]:
        """Return the kind as plain JSON types."""
        return {
            "num_actions": self.num_actions,
            "fields": {name: field.to_dict() for name, field in self.fields.items()},
        }


def fields_of(games: Sequence[Game], keep: Collection[str], with_thoughts: bool) -> dict[str, RecordField]:
    """Return the arrays of a run of these games.

    keep : "legal", and fields of the observation. with_thoughts : whether any agent reports thoughts. Raises
    ConfigError for an unknown field, or one that differs between the games.
    """
    players, slots = max(game.num_players for game in games), max(game.num_slots for game in games)
    fields = _basic_fields((players,), (slots,), any(game.has_exact_actions for game in games))
    if with_thoughts:
        fields |= _thought_fields((players,))
    taken = set(fields)
    for name in keep:
        if name == "legal":
            fields[name] = RecordField("ply", "uint32", (slots, max(_words(game.num_actions) for game in games)))
            continue
        if name in taken:
            raise ConfigError(f"keep: {name!r} is the name of another field of a record")
        views = {_view(game, name) for game in games}
        if len(views) > 1:
            raise ConfigError(f"keep: {name!r} is not the same in all games: {sorted(map(str, views))}")
        shape, dtype = views.pop()
        fields[name] = RecordField("ply", dtype, shape)
    return fields


def kinds_of(games: Sequence[Game], keep: Collection[str], with_thoughts: bool) -> dict[str, Kind]:
    """Return what each kind of game in a run has; nothing if there is one kind, or a name that is no file name."""
    by_name: dict[str, list[Game]] = {}
    for game in games:
        by_name.setdefault(game.name, []).append(game)
    if len(by_name) == 1 or not all(map(KIND_NAME.fullmatch, by_name)):
        return {}
    return {
        name: Kind(max(game.num_actions for game in mine), fields_of(mine, keep, with_thoughts))
        for name, mine in by_name.items()
    }


def _basic_fields(players: tuple[int, ...], slots: tuple[int, ...], is_exact: bool) -> dict[str, RecordField]:
    """Return the arrays that every run with these widths has; is_exact: actions may be larger than codes."""
    return {
        "game": RecordField("game", "int64"),
        "config": RecordField("game", "int32"),
        "seed": RecordField("game", "uint64"),
        "agents": RecordField("game", "int16", players),
        "length": RecordField("game", "int64"),
        "returns": RecordField("game", "float32", players),
        "scores": RecordField("game", "int64", players),
        "ply": RecordField("ply", "int32"),
        "player": RecordField("ply", "int8"),
        "actions": RecordField("ply", "int64" if is_exact else "int16", slots),
    }


def _thought_fields(players: tuple[int, ...]) -> dict[str, RecordField]:
    """Return the arrays of a run in which agents report thoughts."""
    return {
        "value": RecordField("ply", "float32", players),
        "policy_size": RecordField("ply", "int32"),
        "policy_slot": RecordField("policy", "int8"),
        "policy_code": RecordField("policy", "int16"),
        "policy_weight": RecordField("policy", "float32"),
    }


def _view(game: Game, name: str) -> tuple[tuple[int, ...], str]:
    """Return (shape, dtype) of a field of the observation as it is kept for a ply."""
    shape, dtype = game.observation_spec[choice("keep", name, ("legal", *game.observation_spec))]
    return ((game.num_players, *shape) if game.is_simultaneous else shape), dtype.name


def _words(num_actions: int) -> int:
    return (num_actions + 31) // 32


def number_games(seed: int, num_configs: int, ks: NDArray[np.int64]) -> Arrays:
    """Return the arrays that number the games k of a run with this seed."""
    return {"game": ks, "config": (ks % num_configs).astype(np.int32), "seed": seeds_of(seed, ks)}


def seeds_of(seed: int, ks: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the seed stream(seed, k) >> 1 of each game k of a run, as uint64."""
    z = np.uint64(mix(seed)) + ks.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)  # masume.core.rng.mix, on arrays
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(1)


# -- writing --------------------------------------------------------------------------------------


class Shard:
    """The records of a chunk of games, assembled from parts that were played together.

    fields : of the run. games : number of games.
    """

    def __init__(self, fields: Mapping[str, RecordField], games: int) -> None:
        self._fields = fields
        self._parts: list[tuple[NDArray[np.int64], Arrays]] = []
        self._games = {
            name: field.filled(name, games) for name, field in fields.items()
            if field.of == "game" and name not in ("game", "config", "seed")
        }  # fmt: skip

    def add(self, rows: NDArray[np.int64], part: Arrays) -> None:
        """Add the games of these rows: their results, plies and policies; narrower arrays are filled up."""
        self._parts.append((rows, part))
        for name in self._games.keys() & part.keys():
            _place(self._games[name], rows, part[name])

    def arrays(self) -> Arrays:
        """Return all arrays of the shard except those that number the games."""
        length = self._games["length"]
        starts = np.cumsum(length) - length
        plies = int(length.sum())
        ply = np.arange(plies, dtype=np.int32)
        ply -= np.repeat(starts.astype(np.int32), length)
        arrays = self._games | {"ply": ply}
        places = [self._plies(rows, starts, length) for rows, _ in self._parts]
        for name, field in self._fields.items():
            if field.of == "ply" and name != "ply":
                arrays[name] = self._gather(name, field, places, plies)
        if "policy_size" in arrays:
            size = arrays["policy_size"].astype(np.int64)
            begins = np.cumsum(size) - size
            entries = [_spread(begins[place], size[place]) for place in places]
            for name in POLICY[1:]:
                arrays[name] = self._gather(name, self._fields[name], entries, int(size.sum()))
        return arrays

    def _plies(self, rows: NDArray[np.int64], starts: NDArray[np.int64], length: NDArray[np.int64]) -> Any:
        """Return the indices of the plies of these games."""
        return slice(None) if len(rows) == len(length) else _spread(starts[rows], length[rows])

    def _gather(self, name: str, field: RecordField, places: Sequence[Any], rows: int) -> NDArray[Any]:
        """Return one array assembled from all parts; `places` gives the rows of each part."""
        if len(self._parts) == 1:
            found = self._parts[0][1][name]
            if found.shape[1:] == field.shape:
                return found.astype(field.dtype, copy=False)
        whole = field.filled(name, rows)
        for place, (_, part) in zip(places, self._parts, strict=True):
            _place(whole, place, part[name])
        return whole


def _place(whole: NDArray[Any], rows: Any, part: NDArray[Any]) -> None:
    """Copy a part, which may be narrower, into its rows."""
    whole[(rows, *(slice(0, width) for width in part.shape[1:]))] = part


def _spread(begins: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return begin, begin + 1, ... for each pair, `count` numbers each."""
    ends = np.cumsum(counts)
    places: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - counts), counts)
    return places


def pack(form: str, fields: Mapping[str, RecordField], arrays: Arrays) -> dict[str, bytes]:
    """Return the files of a shard, by kind; equal arrays give equal bytes, at any time."""
    if form == "npz":
        return {"records": _pack_npz(arrays)}
    return {kind: _pack_parquet(table) for kind, table in zip(FORMATS[form], to_tables(fields, arrays), strict=True)}


def _pack_npz(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            # np.savez would store the time of day; a ZipInfo without a date does not
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getbuffer(), zipfile.ZIP_DEFLATED, 1)
    return buffer.getvalue()


def check_form(form: str) -> str:
    """Return `form` if it can be written here; else raise ConfigError, or ExtraError if a package is missing."""
    if choice("records", form, FORMATS) == "parquet":
        _pyarrow()
    return form


def _pyarrow() -> Any:
    extra("pyarrow.parquet", "data")
    return extra("pyarrow", "data")


def to_tables(fields: Mapping[str, RecordField], arrays: Arrays) -> tuple[pa.Table, pa.Table]:
    """Return the arrays as two Arrow tables, one row per game and one row per ply; `game` joins them."""
    pa = _pyarrow()
    games = {name: _column(pa, arrays[name]) for name, field in fields.items() if field.of == "game"}
    plies = {"game": pa.array(np.repeat(arrays["game"], arrays["length"]))}
    plies |= {name: _column(pa, arrays[name]) for name, field in fields.items() if field.of == "ply"}
    if "policy_size" in plies:
        ends = np.concatenate([[0], np.cumsum(arrays["policy_size"])]).astype(np.int32)
        del plies["policy_size"]
        for name in POLICY[1:]:
            plies[name] = pa.ListArray.from_arrays(pa.array(ends), pa.array(arrays[name]))
    return _table(pa, games), _table(pa, plies)


def _table(pa: Any, columns: Mapping[str, Any]) -> pa.Table:
    """Return the columns as a table without nulls."""
    schema = pa.schema([pa.field(name, column.type, nullable=False) for name, column in columns.items()])
    return pa.table(list(columns.values()), schema=schema)


def _column(pa: Any, array: NDArray[Any]) -> Any:
    """Return an array as a column; rows of several values become lists of fixed size."""
    width = int(np.prod(array.shape[1:], dtype=np.int64))
    flat = pa.array(array.reshape(-1))
    return flat if width == 1 else pa.FixedSizeListArray.from_arrays(flat, width)


def _pack_parquet(table: pa.Table) -> bytes:
    pa = _pyarrow()
    encoding = {}
    for column in table.schema:
        is_flat = pa.types.is_primitive(column.type)
        kind = column.type if is_flat else column.type.value_type
        if not pa.types.is_boolean(kind):  # groups all first bytes, all second bytes, ...: most are equal
            encoding[column.name if is_flat else f"{column.name}.list.element"] = "BYTE_STREAM_SPLIT"
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=1,
        use_dictionary=False,
        column_encoding=encoding,
        write_statistics=False,
        write_batch_size=65536,
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


# -- reading --------------------------------------------------------------------------------------


def _load_fields(told: Mapping[str, Any]) -> dict[str, RecordField]:
    """Return the fields that a manifest describes; raise ReplayError unless a run can have them."""
    fields = {
        name: RecordField(field["of"], field["dtype"], tuple(field["shape"])) for name, field in told["fields"].items()
    }
    _check_fields(fields, told["num_actions"])
    return fields


def _check_fields(fields: Mapping[str, RecordField], num_actions: int) -> None:
    """Raise ReplayError unless a run can have these fields (`fields_of`)."""
    for name in (*BASIC, *(POLICY if "policy_size" in fields else ())):
        if name not in fields:
            raise ReplayError(f"fields.{name}: missing")
    for name in ("agents", "actions"):
        if len(fields[name].shape) != 1:
            raise ReplayError(f"fields.{name}.shape: expected one number, got {fields[name].shape}")
    wide = (fields["agents"].shape, fields["actions"].shape, fields["actions"].dtype == "int64")
    wanted = _basic_fields(*wide) | _thought_fields(fields["agents"].shape)
    if "legal" in fields:
        wanted["legal"] = RecordField("ply", "uint32", (*fields["actions"].shape, _words(num_actions)))
    for name, field in fields.items():
        if field.of not in ("game", "ply", "policy") or field.dtype not in DTYPES:
            raise ReplayError(f"fields.{name}: {field.of!r} or {field.dtype!r} is unknown")
        if field != wanted.get(name, RecordField("ply", field.dtype, field.shape)):
            raise ReplayError(f"fields.{name}: expected {wanted.get(name, 'a field of a ply')}, got {field}")
    if num_actions > CODES_MAX:
        raise ReplayError(f"num_actions: {num_actions} is more than {CODES_MAX}")


def _check_arrays(arrays: Arrays, slots: int, num_actions: int) -> None:
    """Raise ReplayError for a policy with a slot or code that is out of range."""
    for name, high in (("policy_slot", slots), ("policy_code", num_actions)):
        array = arrays.get(name)
        if array is not None and array.size and not 0 <= array.min() <= array.max() < high:
            raise ReplayError(f"{name}: expected values in 0..{high - 1}")


def load_records(path: str | os.PathLike[str], plugins: Sequence[Game] = ()) -> Records:
    """Open the records of a self-play run; files are read on first use.

    Parameters
    ----------
    path : path-like
        Folder of the run, complete or not, or a URL as in `selfplay`.
    plugins : sequence of Game, optional
        Games of the run that `masume.load` does not know by name.

    Returns
    -------
    Records
        The arrays of all shards that are complete.

    Raises
    ------
    ReplayError
        If the folder holds no run, no completed shard, or a damaged manifest.
    ExtraError
        If the records are Parquet, or the path is a URL, and pyarrow (extra `data`) is not installed.
    """
    return Records(place_of(path), plugins)


class Records(Mapping[str, NDArray[Any]]):
    """Arrays of a self-play run by name, all shards concatenated in order: `records["actions"]`.

    A read-only mapping; docs/records.md lists the arrays. In addition there are `names` (str[], the agents) and
    `configs` (bytes[], `{"game": .., "config": ..}` as JSON). `load_records` makes one.

    Attributes
    ----------
    folder : Path or str
        Folder of the run, or its URL without keys and options.
    fields : dict
        A RecordField (dtype, shape and kind of row) per name of an array.
    num_games, num_plies : int
        Number of games and of plies.

    Notes
    -----
    Each file is compared with the SHA-256 in the manifest when it is first read; ReplayError names a file that is
    missing or differs.
    """

    def __init__(self, place: Place, plugins: Sequence[Game] = ()) -> None:
        parameters, shards, *_ = read_manifest(place)
        if not shards:
            raise ReplayError(f"{place}: no shard is finished yet")
        self.folder = place.path
        self._place = place
        self._parameters = parameters
        self._shards = sorted(shards, key=lambda shard: int(shard["chunk"]))
        self._plugins = {game.name: game for game in plugins}
        self._form = parameters["records"]
        if self._form not in FORMATS:
            raise ReplayError(f"{place}: records: expected one of {', '.join(FORMATS)}, got {self._form!r}")
        check_form(self._form)
        with parsing(place.at(MANIFEST)):
            self.fields = _load_fields(parameters)
            self._kinds = {
                name: Kind(description["num_actions"], _load_fields(description))
                for name, description in parameters.get("kinds", {}).items()
            }
            names, configs = parameters["agents"], [json.dumps(game).encode() for game in parameters["games"]]
            self._arrays: Arrays = {"names": np.array(names), "configs": np.array(configs)}
        self._only: str | None = None  # the kind of games that are shown; None: all
        for shard in shards:
            for kind, name in itertools.product(FORMATS[self._form], self._kinds_in(shard)):
                if file_kind(kind, name) not in shard["files"]:
                    raise ReplayError(f"{place}: chunk {shard['chunk']}: files.{file_kind(kind, name)}: missing")
        self._count()

    def _count(self) -> None:
        counts = [self._rows(shard) for shard in self._shards]
        self.num_games: int = sum(count["game"] for count in counts)
        self.num_plies: int = sum(count["ply"] for count in counts)

    def _kinds_in(self, shard: Mapping[str, Any]) -> list[str]:
        """Return the kinds of games in a shard that have files of their own, and are shown; [""]: all are together."""
        if not self._kinds:
            return [""]
        for name in shard["tallies"]:
            if name not in self._kinds:
                raise ReplayError(f"{self.folder}: chunk {shard['chunk']}: tallies.{name}: none of the kinds of games")
        return [name for name in shard["tallies"] if self._only in (None, name)]

    def _rows(self, shard: Mapping[str, Any], kind: str = "") -> dict[str, int]:
        """Return the number of games and of plies of a shard; kind : of this one, by default of all that are shown."""
        kinds = [kind] if kind else self._kinds_in(shard)
        tallies = [tally for name, tally in shard["tallies"].items() if name in kinds or kinds == [""]]
        return {of: sum(tally[many] for tally in tallies) for of, many in COUNTED.items()}

    def of(self, game: str) -> Records:
        """Return the records of one kind of game alone, with its own fields, in a run of several kinds.

        Its actions are int16 if its actions are codes, and no array is wider than these games need.

        Parameters
        ----------
        game : str
            Name of the game.

        Returns
        -------
        Records
            Its games, in order. `names`, `configs` and `games` are those of the whole run.

        Raises
        ------
        ConfigError
            If the run has no such game.
        ReplayError
            If an earlier version wrote the run, which kept all games together.
        """
        names = list(dict.fromkeys(start["game"] for start in self._parameters["games"]))
        choice("game", game, names if self._only is None else [self._only])
        found = copy.copy(self)
        found._arrays = {name: self._arrays[name] for name in ("names", "configs")}
        if self._kinds:
            found._only = game
            found.fields = dict(self._kinds[game].fields)
            found._shards = [shard for shard in self._shards if game in shard["tallies"]]
            found._count()
        elif len(names) > 1:
            raise ReplayError(f"{self.folder}: {game} has no files of its own, as the games were recorded together")
        return found

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._arrays:
            if name not in self.fields:
                raise KeyError(name)
            self._arrays[name] = np.concatenate([self._read(shard, [name])[name] for shard in self._shards])
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return itertools.chain(self.fields, ("names", "configs"))

    def __len__(self) -> int:
        return len(self.fields) + 2

    def __repr__(self) -> str:
        return f"Records({str(self.folder)!r}, {self.num_games} games, {self.num_plies} plies)"

    @property
    def games(self) -> list[Game]:
        """The games of `configs`, in order.

        Raises
        ------
        ReplayError
            If a plug-in is needed that was not passed to `load_records`.
        """
        found = []
        for number, start in enumerate(self._parameters["games"]):
            if start["game"] not in self._plugins and start["config"] is None:
                raise ReplayError(f"{self.folder}: {start['game']!r} is a plug-in that was not given")
            with parsing(f"{self._place.at(MANIFEST)}:1: parameters.games[{number}]"):
                found.append(self._plugins.get(start["game"]) or load_fields(start["game"], start["config"]))
        return found

    def to_arrow(self) -> tuple[pa.Table, pa.Table]:
        """Return the records as Arrow tables.

        Returns
        -------
        tuple of pyarrow.Table
            (games, plies): one row per game and one row per ply, joined by the column `game`.

        Raises
        ------
        ExtraError
            If pyarrow (extra `data`) is not installed.
        ReplayError
            If a file is missing or damaged.
        """
        pa = _pyarrow()
        tables = [to_tables(self.fields, self._read(shard, self.fields)) for shard in self._shards]
        games, plies = zip(*tables, strict=True)
        return pa.concat_tables(games), pa.concat_tables(plies)

    def batches(self, size: int, *, seed: int | None = None, fields: Sequence[str] | None = None) -> Iterator[Arrays]:
        """Iterate once over all plies, as dicts of arrays.

        Parameters
        ----------
        size : int
            Rows per batch, 1..2**31 - 1; the last batch may have fewer.
        seed : int, optional
            Shuffle with this seed, 0..2**64 - 1: shards come in random order, and the plies of four shards at a time
            are mixed. None: the order of play.
        fields : sequence of str, optional
            Names of the arrays to return; all by default. `"policy"` replaces the four arrays of policies.

        Returns
        -------
        iterator of dict
            Arrays by name, C-contiguous, of native dtypes and not shared, so that `torch.from_numpy` takes them. Arrays
            with one row per game (`seed`, `returns`, ...) are repeated for each of its plies. `legal` is bool[rows,
            slots, num_actions]. `policy` is float32[rows, slots, num_actions], 0 if no agent reported one.

        Raises
        ------
        ConfigError
            If an argument is out of range.
        ReplayError
            If a file is missing or damaged.

        Notes
        -----
        At most four shards are in memory.
        """
        size = integer("size", size, 1, 2**31 - 1)
        offered = [name for name in self.fields if name not in POLICY]
        if "policy_size" in self.fields:
            offered.append("policy")
        names = offered if fields is None else [choice("fields", name, offered) for name in fields]
        rng = None if seed is None else np.random.default_rng(integer("seed", seed, 0, 2**64 - 1))
        return self._batches(size, rng, names)

    def _batches(self, size: int, rng: np.random.Generator | None, names: Sequence[str]) -> Iterator[Arrays]:
        shards = list(self._shards)
        if rng is not None:
            rng.shuffle(shards)
        rest: list[Arrays] = []
        missing = size
        step = 1 if rng is None else MIXED_SHARDS
        for first in range(0, len(shards), step):
            samples = self._samples(shards[first : first + step], names)
            count = len(samples["ply"])
            order = np.arange(count) if rng is None else rng.permutation(count)
            begin = 0
            while begin < count:
                taken = self._sample(samples, order[begin : begin + missing], names)
                begin += missing
                rest.append(taken)
                missing -= len(next(iter(taken.values())))
                if missing == 0:
                    yield _join(rest)
                    rest, missing = [], size
        if rest:
            yield _join(rest)

    def _samples(self, group: Sequence[dict[str, Any]], names: Sequence[str]) -> Arrays:
        """Return the arrays of some shards, with "row", the index of each ply's game."""
        wanted = dict.fromkeys(["ply", "length", *(name for name in names if name != "policy")])
        if "policy" in names:
            wanted |= dict.fromkeys(POLICY)
        parts = [self._read(shard, wanted) for shard in group]
        samples = _join(parts)
        samples["row"] = np.repeat(np.arange(len(samples["length"])), samples["length"])
        if "policy" in names:
            samples["policy_begin"] = np.cumsum(samples["policy_size"], dtype=np.int64) - samples["policy_size"]
        return samples

    def _sample(self, samples: Arrays, rows: NDArray[np.int64], names: Sequence[str]) -> Arrays:
        """Return the fields of these plies."""
        found: Arrays = {}
        for name in names:
            if name == "policy":
                found[name] = self._policy(samples, rows)
            elif name == "legal":
                bits = np.ascontiguousarray(samples[name][rows]).view(np.uint8)
                found[name] = np.unpackbits(bits, axis=-1, count=self._num_actions, bitorder="little").view(np.bool_)
            else:
                found[name] = samples[name][samples["row"][rows] if self.fields[name].of == "game" else rows]
        return found

    @property
    def _num_actions(self) -> int:
        number: int = self._parameters["num_actions"]
        return number if self._only is None else self._kinds[self._only].num_actions

    def _policy(self, samples: Arrays, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        sizes = samples["policy_size"][rows].astype(np.int64)
        entries = _spread(samples["policy_begin"][rows], sizes)
        slots = self.fields["actions"].shape[0]
        dense = np.zeros((len(rows), slots, self._num_actions), np.float32)
        of_row = np.repeat(np.arange(len(rows)), sizes)
        dense[of_row, samples["policy_slot"][entries], samples["policy_code"][entries]] = samples["policy_weight"][
            entries
        ]
        return dense

    # -- files ------------------------------------------------------------------------------------

    def _read(self, shard: Mapping[str, Any], names: Collection[str]) -> Arrays:
        """Return these arrays of a shard, with the dtypes and shapes of the manifest and as many rows as it counts.

        The headers of the files are compared with the manifest before anything is unpacked.
        """
        names = set(names)
        if names & set(POLICY):
            names.add("policy_size")
        if not self._kinds or self._only is not None:
            return self._read_kind(shard, self._only or "", self.fields, self._num_actions, names)
        fields = {name: field for name, field in self.fields.items() if name in {*names, "game", "length"}}
        parts = [
            self._read_kind(shard, name, self._kinds[name].fields, self._kinds[name].num_actions, fields)
            for name in self._kinds_in(shard)
        ]
        return _merge(fields, parts)

    def _read_kind(
        self,
        shard: Mapping[str, Any],
        name: str,
        fields: Mapping[str, RecordField],
        num_actions: int,
        names: Collection[str],
    ) -> Arrays:
        """Return these arrays of one kind of game; name : of the kind, "" if all are together."""
        rows = self._rows(shard, name)
        content: Arrays = {}
        for kind in FORMATS[self._form]:
            entry = shard["files"][file_kind(kind, name)]
            stored = {
                name: field for name, field in fields.items()
                if name in names and (kind == "records" or (field.of == "game") == (kind == "games"))
            }  # fmt: skip
            if stored:
                data = read_checked(self._place, entry)
                with parsing(self._place.at(entry["file"])):
                    slots = fields["actions"].shape[0]
                    unpack = unpack_npz if self._form == "npz" else unpack_parquet
                    arrays = unpack(data, stored, rows, slots * num_actions)
                    _check_arrays(arrays, slots, num_actions)
                content |= arrays
        with parsing(f"{self.folder}: chunk {shard['chunk']}"):
            length = content.get("length", np.zeros(0))
            if length.size and not (0 < length.min() <= length.max() <= length.sum() == rows["ply"]):
                raise ReplayError(f"length: not the {rows['ply']} plies of its games")
        return content

    # -- verifying --------------------------------------------------------------------------------

    def verify(self, threads: int = 1) -> int:
        """Play every game again and compare the result with everything recorded.

        Parameters
        ----------
        threads : int, optional
            Number of threads, 1..1024.

        Returns
        -------
        int
            Number of games, all of them equal.

        Raises
        ------
        ReplayError
            If a game differs or an action is illegal; the message names the file, the game and the field. Also if a
            file is damaged, or if a plug-in was not passed to `load_records`.
        """
        from concurrent.futures import ThreadPoolExecutor  # here, because `import masume` does not need it

        threads = integer("threads", threads, 1, 1024)
        games = self.games
        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(lambda shard: self._verify_shard(shard, games), self._shards))

    def _verify_shard(self, shard: Mapping[str, Any], games: Sequence[Game]) -> int:
        """Verify a shard and return its number of games."""
        arrays = self._read(shard, self.fields)
        first = FORMATS[self._form][0]
        files = [shard["files"][file_kind(first, name)]["file"] for name in self._kinds_in(shard)]
        with parsing(", ".join(map(self._place.at, files))):
            return self._verify_arrays(shard, arrays, games)

    def _verify_arrays(self, shard: Mapping[str, Any], arrays: Arrays, games: Sequence[Game]) -> int:
        count, length = len(arrays["game"]), arrays["length"]
        starts = np.cumsum(length) - length
        first = shard["chunk"] * self._parameters["chunk"]
        ks = np.arange(first, first + sum(tally["games"] for tally in shard["tallies"].values()))
        if self._only is not None:
            ks = ks[[games[k % len(games)].name == self._only for k in ks.tolist()]]
        wanted = number_games(self._parameters["seed"], len(games), ks)
        for name, array in wanted.items():
            if not np.array_equal(arrays[name], array):
                raise ReplayError(f"{name}: not those of the run's games from {first} on")
        for config in np.unique(arrays["config"]).tolist():
            mine = np.flatnonzero(arrays["config"] == config)
            _verify(games[config], mine, _spread(starts[mine], length[mine]), self.fields, arrays)
        return count


def _verify(
    game: Game, rows: NDArray[np.int64], plies: NDArray[np.int64], fields: Mapping[str, RecordField],
    arrays: Arrays,
) -> None:  # fmt: skip
    """Raise ReplayError unless the games of these rows, all of one config, play again to the same arrays."""
    length, seeds, numbers = (arrays[name][rows] for name in ("length", "seed", "game"))
    actions = np.ascontiguousarray(arrays["actions"][plies, : game.num_slots], np.int64)
    views = tuple(name for name in game.observation_spec if name in fields)
    replayed = _playout.replay(game, seeds, length, actions, "legal" in fields, views, numbers)
    replayed["actions"] = actions  # compared too, because unused slots must hold the fill value
    replayed["ply"] = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    of_ply = np.repeat(rows, length)
    for name, field in fields.items():
        if name not in replayed:
            continue
        places = rows if field.of == "game" else plies
        wanted = field.filled(name, len(places))
        _place(wanted, slice(None), replayed[name])
        same = (arrays[name][places] == wanted) | ((wanted != wanted) & (arrays[name][places] != arrays[name][places]))
        if not same.all():
            bad = int(np.flatnonzero(~same.reshape(len(places), -1).all(axis=1))[0])
            row = rows[bad] if field.of == "game" else of_ply[bad]
            raise ReplayError(f"game {arrays['game'][row]}: {name}: replaying gives another one")


def _merge(fields: Mapping[str, RecordField], parts: Sequence[Arrays]) -> Arrays:
    """Return the arrays of several kinds of games with these fields, in the order of `game`; `length` is among them."""
    numbers = np.concatenate([part["game"] for part in parts])
    rows = np.empty(len(numbers), np.int64)
    rows[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
    places = {"game": np.split(rows, np.cumsum([len(part["game"]) for part in parts])[:-1])}
    merged: Arrays = {}
    counts = {"game": len(numbers)}
    for of, count in (("ply", "length"), ("policy", "policy_size")):  # of what there are several, and how many of it
        if count in fields:
            size = _place_all(count, fields[count], places[fields[count].of], parts, counts[fields[count].of])
            size = size.astype(np.int64)
            begins = np.cumsum(size) - size
            places[of] = [_spread(begins[place], size[place]) for place in places[fields[count].of]]
            counts[of] = int(size.sum())
    for name, field in fields.items():
        merged[name] = _place_all(name, field, places[field.of], parts, counts[field.of])
    return merged


def _place_all(
    name: str, field: RecordField, places: Sequence[NDArray[np.int64]], parts: Sequence[Arrays], rows: int
) -> NDArray[Any]:
    """Return one array of all parts, `rows` rows; places : the rows of each part."""
    whole = field.filled(name, rows)
    for place, part in zip(places, parts, strict=True):
        _place(whole, place, part[name])
    return whole


def _join(parts: Sequence[Arrays]) -> Arrays:
    """Concatenate the arrays of several parts."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
