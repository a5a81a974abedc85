"""Records of self-play: what every game did, as arrays, in checked shards (docs/records.md tells all of it).

A shard holds g games, their m plies in order, and w entries of policies:

    game int64[g]            k, the number of the game in the run
    config int32[g]          its place in `configs`
    seed uint64[g]           `game.new_state(seed)` was its start
    agents int16[g, players] the place in `names` of the agent in each seat
    length int64[g]          its plies
    returns float32[g, players], scores int64[g, players]
    ply int32[m]             counted from 0 in each game
    player int8[m]           who decided, -1: all at once
    actions int16[m, slots]  one a slot; int64 where actions are larger than codes

and where they are kept

    legal uint32[m, slots, words]    the codes allowed: bit c % 32 of word c // 32 is code c
    a field of the observation       [m, *shape], what the player to move saw; [m, players, *shape] where all
                                     move at once
    value float32[m, players]        the result that each agent expected for its seat
    policy_size int32[m]             how many of the following belong to the ply
    policy_slot int8[w], policy_code int16[w], policy_weight float32[w]   how much the agent thought of a code

Where games of one run differ in players or slots, the places that a game lacks hold -1; in returns and value NaN, in
scores and legal 0.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import os
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
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
from .reading import load_fields, parsing
from .store import MANIFEST, read_checked, read_manifest

if TYPE_CHECKING:
    import pyarrow as pa

    from ..game import Game

Arrays = dict[str, NDArray[Any]]

DTYPES = tuple(np.dtype(code).name for code in CODES)
FORMATS = {"npz": ("records",), "parquet": ("games", "plies")}
"""Each form of records with the kinds of files that a shard has in it."""
EMPTY = {"agents": -1, "returns": np.nan, "actions": -1, "value": np.nan}
"""What stands where a game has nothing; elsewhere 0."""
BASIC = ("game", "config", "seed", "agents", "length", "returns", "scores", "ply", "player", "actions")
POLICY = ("policy_size", "policy_slot", "policy_code", "policy_weight")
COUNTED = {"game": "games", "ply": "plies"}
"""What a row is, and the counter of a tally that says how many there are."""
CODES_MAX = 2**15  # of an int16
MIXED_SHARDS = 4  # that `batches` draws from at a time


@dataclasses.dataclass(frozen=True)
class Field:
    """An array of a record. of : "game", "ply" or "policy": what a row is. shape : of a row."""

    of: str
    dtype: str
    shape: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {"of": self.of, "dtype": self.dtype, "shape": list(self.shape)}

    def filled(self, name: str, rows: int) -> NDArray[Any]:
        """So many rows of nothing."""
        return np.full((rows, *self.shape), EMPTY.get(name, 0), self.dtype)


def fields_of(games: Sequence[Game], keep: Collection[str], with_thoughts: bool) -> dict[str, Field]:
    """The arrays of a run of these games.

    keep : "legal", and fields of the observation. with_thoughts : whether there are agents that have any.
    ConfigError for a field that there is not, or that is not the same in all games.
    """
    players, slots = max(game.num_players for game in games), max(game.num_slots for game in games)
    fields = _basic_fields((players,), (slots,), any(game.has_exact_actions for game in games))
    if with_thoughts:
        fields |= _thought_fields((players,))
    taken = set(fields)
    for name in keep:
        if name == "legal":
            fields[name] = Field("ply", "uint32", (slots, max(_words(game.num_actions) for game in games)))
            continue
        if name in taken:
            raise ConfigError(f"keep: {name!r} is the name of another field of a record")
        views = {_view(game, name) for game in games}
        if len(views) > 1:
            raise ConfigError(f"keep: {name!r} is not the same in all games: {sorted(map(str, views))}")
        shape, dtype = views.pop()
        fields[name] = Field("ply", dtype, shape)
    return fields


def _basic_fields(players: tuple[int, ...], slots: tuple[int, ...], is_exact: bool) -> dict[str, Field]:
    """The arrays of every run of games with so many players and slots; is_exact: actions may be larger than codes."""
    return {
        "game": Field("game", "int64"),
        "config": Field("game", "int32"),
        "seed": Field("game", "uint64"),
        "agents": Field("game", "int16", players),
        "length": Field("game", "int64"),
        "returns": Field("game", "float32", players),
        "scores": Field("game", "int64", players),
        "ply": Field("ply", "int32"),
        "player": Field("ply", "int8"),
        "actions": Field("ply", "int64" if is_exact else "int16", slots),
    }


def _thought_fields(players: tuple[int, ...]) -> dict[str, Field]:
    """The arrays of a run in which agents think."""
    return {
        "value": Field("ply", "float32", players),
        "policy_size": Field("ply", "int32"),
        "policy_slot": Field("policy", "int8"),
        "policy_code": Field("policy", "int16"),
        "policy_weight": Field("policy", "float32"),
    }


def _view(game: Game, name: str) -> tuple[tuple[int, ...], str]:
    """(shape, dtype) of a field of the observation as it is kept for a ply."""
    shape, dtype = game.observation_spec[choice("keep", name, ("legal", *game.observation_spec))]
    return ((game.num_players, *shape) if game.is_simultaneous else shape), dtype.name


def _words(num_actions: int) -> int:
    return (num_actions + 31) // 32


def number_games(seed: int, num_configs: int, ks: NDArray[np.int64]) -> Arrays:
    """The arrays that number the games k of a run with this seed."""
    return {"game": ks, "config": (ks % num_configs).astype(np.int32), "seed": seeds_of(seed, ks)}


def seeds_of(seed: int, ks: NDArray[Any]) -> NDArray[np.uint64]:
    """uint64: the seed stream(seed, k) >> 1 of each game k of a run."""
    z = np.uint64(mix(seed)) + ks.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)  # masume.core.rng.mix, of arrays
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(1)


# -- writing --------------------------------------------------------------------------------------


class Shard:
    """The records of a chunk of games, put together from the parts that were played at once.

    fields : of the run. games : how many.
    """

    def __init__(self, fields: Mapping[str, Field], games: int) -> None:
        self._fields = fields
        self._parts: list[tuple[NDArray[np.int64], Arrays]] = []
        self._games = {
            name: field.filled(name, games) for name, field in fields.items()
            if field.of == "game" and name not in ("game", "config", "seed")
        }  # fmt: skip

    def add(self, rows: NDArray[np.int64], part: Arrays) -> None:
        """The games of these rows: those of the arrays above that tell how they went, narrower ones filled up."""
        self._parts.append((rows, part))
        for name in self._games.keys() & part.keys():
            _place(self._games[name], rows, part[name])

    def arrays(self) -> Arrays:
        """All of the arrays above but those that only number the games."""
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
        """The places of the plies of these games."""
        return slice(None) if len(rows) == len(length) else _spread(starts[rows], length[rows])

    def _gather(self, name: str, field: Field, places: Sequence[Any], rows: int) -> NDArray[Any]:
        """An array of all parts; each knows where its rows belong."""
        if len(self._parts) == 1:
            found = self._parts[0][1][name]
            if found.shape[1:] == field.shape:
                return found.astype(field.dtype, copy=False)
        whole = field.filled(name, rows)
        for place, (_, part) in zip(places, self._parts, strict=True):
            _place(whole, place, part[name])
        return whole


def _place(whole: NDArray[Any], rows: Any, part: NDArray[Any]) -> None:
    """Put a part, which may be narrower, into its rows."""
    whole[(rows, *(slice(0, width) for width in part.shape[1:]))] = part


def _spread(begins: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """begin, begin + 1, ... count of them, for each pair."""
    ends = np.cumsum(counts)
    places: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - counts), counts)
    return places


def pack(form: str, fields: Mapping[str, Field], arrays: Arrays) -> dict[str, bytes]:
    """The files of a shard, by kind; the same bytes for the same arrays, whenever they are written."""
    if form == "npz":
        return {"records": _pack_npz(arrays)}
    return {kind: _pack_parquet(table) for kind, table in zip(FORMATS[form], to_tables(fields, arrays), strict=True)}


def _pack_npz(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            # np.savez would put the time of day in; a ZipInfo without a date does not
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getbuffer(), zipfile.ZIP_DEFLATED, 1)
    return buffer.getvalue()


def check_form(form: str) -> str:
    """`form`, which must be one that can be written here; ConfigError, ExtraError where a package is missing."""
    if choice("records", form, FORMATS) == "parquet":
        _pyarrow()
    return form


def _pyarrow() -> Any:
    extra("pyarrow.parquet", "data")
    return extra("pyarrow", "data")


def to_tables(fields: Mapping[str, Field], arrays: Arrays) -> tuple[pa.Table, pa.Table]:
    """The arrays as two Arrow tables, one row a game and one row a ply; `game` joins them."""
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
    """The columns as a table in which nothing is null."""
    schema = pa.schema([pa.field(name, column.type, nullable=False) for name, column in columns.items()])
    return pa.table(list(columns.values()), schema=schema)


def _column(pa: Any, array: NDArray[Any]) -> Any:
    """An array as a column: rows of several values as lists of fixed size."""
    width = int(np.prod(array.shape[1:], dtype=np.int64))
    flat = pa.array(array.reshape(-1))
    return flat if width == 1 else pa.FixedSizeListArray.from_arrays(flat, width)


def _pack_parquet(table: pa.Table) -> bytes:
    pa = _pyarrow()
    encoding = {}
    for column in table.schema:
        is_flat = pa.types.is_primitive(column.type)
        kind = column.type if is_flat else column.type.value_type
        if not pa.types.is_boolean(kind):  # all first bytes, all second ones, ...: most of them are the same
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


def _check_fields(fields: Mapping[str, Field], num_actions: int) -> None:
    """ReplayError unless a run can have these fields (`fields_of`)."""
    for name in (*BASIC, *(POLICY if "policy_size" in fields else ())):
        if name not in fields:
            raise ReplayError(f"fields.{name}: missing")
    for name in ("agents", "actions"):
        if len(fields[name].shape) != 1:
            raise ReplayError(f"fields.{name}.shape: one number is wanted, not {fields[name].shape}")
    wide = (fields["agents"].shape, fields["actions"].shape, fields["actions"].dtype == "int64")
    wanted = _basic_fields(*wide) | _thought_fields(fields["agents"].shape)
    if "legal" in fields:
        wanted["legal"] = Field("ply", "uint32", (*fields["actions"].shape, _words(num_actions)))
    for name, field in fields.items():
        if field.of not in ("game", "ply", "policy") or field.dtype not in DTYPES:
            raise ReplayError(f"fields.{name}: {field.of!r} or {field.dtype!r} is unknown")
        if field != wanted.get(name, Field("ply", field.dtype, field.shape)):
            raise ReplayError(f"fields.{name}: {wanted.get(name, 'a field of a ply')} is wanted, not {field}")
    if num_actions > CODES_MAX:
        raise ReplayError(f"num_actions: {num_actions} is more than {CODES_MAX}")


def _check_arrays(arrays: Arrays, slots: int, num_actions: int) -> None:
    """ReplayError for a policy with places or codes that there are not."""
    for name, high in (("policy_slot", slots), ("policy_code", num_actions)):
        array = arrays.get(name)
        if array is not None and array.size and not 0 <= array.min() <= array.max() < high:
            raise ReplayError(f"{name}: not in 0..{high - 1}")


def load_records(path: str | os.PathLike[str], plugins: Sequence[Game] = ()) -> Records:
    """The records of a self-play run in this folder, be it finished or not; files are read when they are wanted.

    plugins : games that `masume.load` does not know by name. ReplayError where there is no run or nothing of it yet,
    and for what of the manifest is damaged; ConfigError for Parquet without pyarrow (extra `data`).
    """
    return Records(Path(path), plugins)


class Records(Mapping[str, NDArray[Any]]):
    """The arrays of a run under their names, all shards put together in order: `records["actions"]`.

    Beside the arrays that docs/records.md lists there are names str[], the agents, and configs bytes[],
    {"game": .., "config": ..} as JSON. num_games, num_plies : how many there are. fields : {name: Field}.

    Each file is checked against the SHA-256 of the manifest when it is first read; ReplayError names one that is
    missing or is not what was written.
    """

    def __init__(self, folder: Path, plugins: Sequence[Game] = ()) -> None:
        parameters, shards, _ = read_manifest(folder)
        if not shards:
            raise ReplayError(f"{folder}: no shard is finished yet")
        self.folder = folder
        self._parameters = parameters
        self._shards = sorted(shards, key=lambda shard: int(shard["chunk"]))
        self._plugins = {game.name: game for game in plugins}
        self._form = parameters["records"]
        if self._form not in FORMATS:
            raise ReplayError(f"{folder}: records: {self._form!r} is none of {', '.join(FORMATS)}")
        check_form(self._form)
        for shard in shards:
            for kind in FORMATS[self._form]:
                if kind not in shard["files"]:
                    raise ReplayError(f"{folder}: chunk {shard['chunk']}: files.{kind}: missing")
        self.fields = {
            name: Field(told["of"], told["dtype"], tuple(told["shape"])) for name, told in parameters["fields"].items()
        }
        with parsing(str(folder / MANIFEST)):
            _check_fields(self.fields, parameters["num_actions"])
            names, configs = parameters["agents"], [json.dumps(game).encode() for game in parameters["games"]]
            self._arrays: Arrays = {"names": np.array(names), "configs": np.array(configs)}
        tallies = [tally for shard in shards for tally in shard["tallies"].values()]
        self.num_games: int = sum(tally["games"] for tally in tallies)
        self.num_plies: int = sum(tally["plies"] for tally in tallies)

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
        """The game of each of `configs`; ReplayError for a plug-in that was not given."""
        found = []
        for number, start in enumerate(self._parameters["games"]):
            if start["game"] not in self._plugins and start["config"] is None:
                raise ReplayError(f"{self.folder}: {start['game']!r} is a plug-in that was not given")
            with parsing(f"{self.folder / MANIFEST}:1: parameters.games[{number}]"):
                found.append(self._plugins.get(start["game"]) or load_fields(start["game"], start["config"]))
        return found

    def to_arrow(self) -> tuple[pa.Table, pa.Table]:
        """(games, plies): Arrow tables of one row a game and one row a ply, joined by `game`.

        ConfigError without pyarrow (extra `data`).
        """
        pa = _pyarrow()
        tables = [to_tables(self.fields, self._read(shard, self.fields)) for shard in self._shards]
        games, plies = zip(*tables, strict=True)
        return pa.concat_tables(games), pa.concat_tables(plies)

    def batches(self, size: int, *, seed: int | None = None, fields: Sequence[str] | None = None) -> Iterator[Arrays]:
        """All plies once, as dicts of arrays with `size` rows each (the last one may have fewer).

        seed : shuffles them: shards in random order, the plies of MIXED_SHARDS of them at a time; None: as they were
        played. fields : those wanted; None: all. What belongs to a game (`seed`, `returns`, ...) is repeated for each
        of its plies; `legal` is bool[rows, slots, num_actions]; `policy` stands for the four arrays of policies:
        float32[rows, slots, num_actions], zeros where no agent told any.

        Arrays are C-contiguous, of native dtypes and the caller's to keep, so that `torch.from_numpy` takes them.
        At most MIXED_SHARDS shards are in memory. ConfigError names a bad argument.
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
        """The arrays of some shards, with "row", the place of each ply's game."""
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
        """The fields of these plies."""
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
        return number

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
        """These arrays of a shard, each of the dtype and shape that the manifest says, and of the rows that it counts.

        What the files say of themselves is compared with that before anything is unpacked.
        """
        names = set(names)
        if names & set(POLICY):
            names.add("policy_size")
        rows = {of: sum(tally[many] for tally in shard["tallies"].values()) for of, many in COUNTED.items()}
        found: Arrays = {}
        for kind in FORMATS[self._form]:
            path = self.folder / shard["files"][kind]["file"]
            mine = {
                name: field for name, field in self.fields.items()
                if name in names and (kind == "records" or (field.of == "game") == (kind == "games"))
            }  # fmt: skip
            if mine:
                data = read_checked(self.folder, shard["files"][kind])
                with parsing(str(path)):
                    slots = self.fields["actions"].shape[0]
                    unpack = unpack_npz if self._form == "npz" else unpack_parquet
                    arrays = unpack(data, mine, rows, slots * self._num_actions)
                    _check_arrays(arrays, slots, self._num_actions)
                found |= arrays
        with parsing(f"{self.folder}: chunk {shard['chunk']}"):
            length = found.get("length", np.zeros(0))
            if length.size and not (0 < length.min() <= length.max() <= length.sum() == rows["ply"]):
                raise ReplayError(f"length: not the {rows['ply']} plies of its games")
        return found

    # -- verifying --------------------------------------------------------------------------------

    def verify(self, threads: int = 1) -> int:
        """Play every game again, and compare all that is recorded of it; returns how many games there are.

        threads : 1..1024. ReplayError names the file, the game and the field that differs, or the action that is not
        allowed; and a plug-in that was not given.
        """
        from concurrent.futures import ThreadPoolExecutor  # here, because `import masume` has no use for it

        threads = integer("threads", threads, 1, 1024)
        games = self.games
        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(lambda shard: self._verify_shard(shard, games), self._shards))

    def _verify_shard(self, shard: Mapping[str, Any], games: Sequence[Game]) -> int:
        """How many games a shard has, all of them right."""
        arrays = self._read(shard, self.fields)
        with parsing(str(self.folder / shard["files"][FORMATS[self._form][0]]["file"])):
            return self._verify_arrays(shard, arrays, games)

    def _verify_arrays(self, shard: Mapping[str, Any], arrays: Arrays, games: Sequence[Game]) -> int:
        count, length = len(arrays["game"]), arrays["length"]
        starts = np.cumsum(length) - length
        first = shard["chunk"] * self._parameters["chunk"]
        wanted = number_games(self._parameters["seed"], len(games), np.arange(first, first + count))
        for name, array in wanted.items():
            if not np.array_equal(arrays[name], array):
                raise ReplayError(f"{name}: not those of the run's games from {first} on")
        for config in np.unique(arrays["config"]).tolist():
            mine = np.flatnonzero(arrays["config"] == config)
            _verify(games[config], mine, _spread(starts[mine], length[mine]), self.fields, arrays)
        return count


def _verify(
    game: Game, rows: NDArray[np.int64], plies: NDArray[np.int64], fields: Mapping[str, Field],
    arrays: Arrays,
) -> None:  # fmt: skip
    """ReplayError unless the games of these rows, all of one config, play again to what the arrays say."""
    length, seeds, numbers = (arrays[name][rows] for name in ("length", "seed", "game"))
    actions = np.ascontiguousarray(arrays["actions"][plies, : game.num_slots], np.int64)
    kept = tuple(name for name in game.observation_spec if name in fields)
    found = _playout.replay(game, seeds, length, actions, "legal" in fields, kept, numbers)
    found["actions"] = actions  # and with them what fills up a row
    found["ply"] = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    of_ply = np.repeat(rows, length)
    for name, field in fields.items():
        if name not in found:
            continue
        mine = rows if field.of == "game" else plies
        wanted = field.filled(name, len(mine))
        _place(wanted, slice(None), found[name])
        same = (arrays[name][mine] == wanted) | ((wanted != wanted) & (arrays[name][mine] != arrays[name][mine]))
        if not same.all():
            bad = int(np.flatnonzero(~same.reshape(len(mine), -1).all(axis=1))[0])
            row = rows[bad] if field.of == "game" else of_ply[bad]
            raise ReplayError(f"game {arrays['game'][row]}: {name}: replaying gives another one")


def _join(parts: Sequence[Arrays]) -> Arrays:
    """Arrays of several parts, one behind the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
