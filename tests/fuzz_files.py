"""Damaged files: the entrances of tests/fuzz.py that read runs, arenas, replays and networks.

In most cases the damaged data is signed again, so that the parsers behind the checksums are reached too. Files must be
read, or rejected with an error that names the folder; no file may make masume use much more memory than its size.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import io
import json
import random
import resource
import shutil
import tempfile
import types
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import masume
import sealed
import written
from masume.nets import network, packed
from masume.play.arena import Arena, Tournament, replays
from masume.play.report import report
from masume.play.selfplay import selfplay
from masume.play.summary import Summary
from masume.records import replay, store
from masume.records.arrays import FORMATS
from masume.referee.clock import TimeControl
from masume.web import facts, holding, journals
from masume.web.gallery import Gallery
from mutations import DTYPES, Entrance, Sample, must, mutate_bytes, mutate_text, mutate_value

GROWTH_MAX = 2**28
"""Bytes by which the process may grow in a case; a file of a run here has about 10,000."""
AGENTS = ["py:players:Thinker", "py:players:Random"]
ARRAY_KINDS = ("dtype", "rows", "shape", "value", "missing", "huge")

_home = tempfile.TemporaryDirectory(prefix="masume-fuzz-files-")
_made: dict[str, Path] = {}


# -- files to damage --------------------------------------------------------------------------------


def template(key: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that is created once per process."""
    if key not in _made:
        folder = Path(tempfile.mkdtemp(dir=_home.name)) / "made"
        make(folder)
        _made[key] = folder
    return _made[key]


def copied(folder: Path) -> Path:
    """Return a copy to damage; the copy of the previous case is removed."""
    work = Path(_home.name) / f"work-{random.Random().getrandbits(40)}"
    for old in Path(_home.name).glob("work-*"):
        shutil.rmtree(old)
    return Path(shutil.copytree(folder, work))


def a_run(name: str, form: str) -> Path:
    def make(folder: Path) -> None:
        selfplay(written.games(name), AGENTS, num_games=10, seed=3, records=form, keep=["legal"], replays=2, out=folder)

    return copied(template(f"{name} {form}", make))


def an_arena(name: str) -> tuple[Path, Tournament]:
    game = written.games(name)[0]
    plan = Tournament(game, ("random", *["py:players:Random"] * (game.num_players - 1)), 2 * game.num_players, seed=1)
    return copied(template(f"{name} arena", lambda folder: Arena(plan, folder).run())), plan


def a_file(rng: random.Random, folder: Path, form: str) -> Path:
    """Return one of the files of records."""
    return rng.choice([path for kind in FORMATS[form] for path in sorted((folder / kind).iterdir())])


def sign(folder: Path) -> None:
    """Write the checksums of all files into the manifest, and those of its lines."""
    path = folder / "manifest.jsonl"
    lines = sealed.read_lines(path)
    for line in lines[1:]:
        for entry in line["files"].values():
            entry["sha256"] = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
    sealed.write_lines(path, lines)


# -- reading ----------------------------------------------------------------------------------------


@contextmanager
def within(folder: Path) -> Iterator[None]:
    """Check that errors name the folder, and that the process does not grow."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        yield
    except ValueError as error:
        must(str(folder) in str(error), f"an error without its file: {error}")
        raise
    finally:
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        must(grown < GROWTH_MAX, f"{grown >> 20} MiB more")


def read_run(rng: random.Random, folder: Path) -> None:
    """Call everything that reads a run, in random order, until one rejects it."""

    def arrays() -> None:
        for array in masume.load_records(folder).values():
            must(isinstance(array, np.ndarray), "no array")

    def batches() -> None:
        for batch in masume.load_records(folder).batches(7, seed=1):
            must(len({len(array) for array in batch.values()}) == 1, "arrays of different lengths")

    def resume() -> None:
        parameters = store.read_manifest(folder).parameters
        with store.Store(folder, parameters) as found:
            summary = Summary.of(found.shards, folder)
            json.dumps([summary.to_dict(), summary.table()], allow_nan=False)
            if 0 in found.shards:
                report(found, [], summary)

    looks: list[Callable[[], Any]] = [
        arrays,
        batches,
        resume,
        lambda: masume.load_records(folder).verify(),
        lambda: masume.load_records(folder).to_arrow(),
    ]
    rng.shuffle(looks)
    with within(folder):
        for look in looks:
            look()


# -- entrances --------------------------------------------------------------------------------------


def shard_bytes(s: Sample) -> None:
    form = s.rng.choice(list(FORMATS))
    folder = a_run(s.name, form)
    path = a_file(s.rng, folder, form)
    path.write_bytes(mutate_bytes(s.rng, path.read_bytes()))
    if s.rng.random() < 0.9:
        sign(folder)
    read_run(s.rng, folder)


def mutate_member(rng: random.Random, path: Path) -> None:
    """Change the bytes of a member of an archive and correct its CRC."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chosen = rng.choice(list(members))
    data = members[chosen]
    head = data[:128] if rng.random() < 0.5 else data
    members[chosen] = mutate_bytes(rng, head) + data[len(head) :]
    with zipfile.ZipFile(path, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def npz_members(s: Sample) -> None:
    folder = a_run(s.name, "npz")
    mutate_member(s.rng, a_file(s.rng, folder, "npz"))
    sign(folder)
    read_run(s.rng, folder)


def networks(s: Sample) -> None:
    """Change a trained network: its bytes, a member or a value of its header."""
    game = written.games(s.name)[0]
    folder = copied(template(f"{s.name} network", lambda made: save_network(game, made)))
    path, way = folder / network.FILE, s.rng.randrange(3)
    if way == 0:
        path.write_bytes(mutate_bytes(s.rng, path.read_bytes()))
    elif way == 1:
        mutate_member(s.rng, path)
    else:
        header, weights = packed.unpack(path.read_bytes())
        text = json.dumps(mutate_value(s.rng, header), default=str, skipkeys=True).encode(errors="surrogatepass")
        path.write_bytes(packed.pack({}, {packed.HEADER: np.frombuffer(text, np.uint8), **weights}))
    with within(folder):
        found = network.Network.load(folder, game)
        must(all(np.isfinite(array).all() for array in found.weights.values()), "a weight that is no number")


def save_network(game: masume.Game, folder: Path) -> None:
    folder.mkdir()
    network.Network(game, hidden=(8,)).save(folder / network.FILE)


def odd_array(rng: random.Random, array: Any) -> Any:
    """Return a replacement for the array, or None for no array."""
    kind = rng.choice(ARRAY_KINDS)
    if kind == "missing":
        return None
    if kind == "dtype":
        with np.errstate(invalid="ignore"):
            return array.astype(rng.choice([dtype for dtype in DTYPES if dtype != "O"]))
    if kind == "rows":
        return rng.choice((array[:-1], np.repeat(array, 2, axis=0), array[:0], array[None]))
    if kind == "shape":
        return rng.choice((array.reshape(-1), array[..., None], np.asfortranarray(array), array.sum()))
    if kind == "huge":
        return np.zeros((2**20 // max(1, array[:1].size), *array.shape[1:]), array.dtype)
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(rng.choice((1, 1, 3))):
        if flat.size:
            info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.finfo(array.dtype)
            flat[rng.randrange(flat.size)] = rng.choice((0, 1, 2, info.max, info.min, info.max // 2))
    return array


def npz_arrays(s: Sample) -> None:
    folder = a_run(s.name, "npz")
    path = a_file(s.rng, folder, "npz")
    with np.load(path) as archive:
        arrays = dict(archive)
    for _ in range(s.rng.choice((1, 1, 2))):
        name = s.rng.choice(list(arrays))
        other = odd_array(s.rng, arrays.pop(name))
        if other is not None:
            arrays[name] = other
        if not arrays:
            break
    np.savez_compressed(path, **arrays)
    sign(folder)
    read_run(s.rng, folder)


def parquet_columns(s: Sample) -> None:
    """Write a table as another program might."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = s.rng
    folder = a_run(s.name, "parquet")
    path = a_file(rng, folder, "parquet")
    table = pq.read_table(path)
    at = rng.randrange(table.num_columns)
    name, column = table.schema.names[at], table.column(at).combine_chunks()
    way = rng.randrange(7)
    if way == 0:
        table = table.drop_columns([name])
    elif way == 1:
        table = table.append_column(name, column)
    elif way == 2:
        table = table.slice(0, rng.randrange(table.num_rows))
    elif way == 3:
        table = pa.concat_tables([table] * rng.choice((2, 4)))
    else:
        value = rng.choice([None, True, 0, -1, 2**62, 0.5, float("nan"), "", "A", b"\0"])
        kinds = [pa.array([value] * table.num_rows)]
        kinds += [pa.nulls(table.num_rows, column.type), pa.array([[1, 2]] * table.num_rows)]
        kinds += [pa.array([[0] * n for n in range(table.num_rows)])]
        if pa.types.is_integer(column.type):
            kinds += [pa.array(np.zeros(table.num_rows), pa.int64()), column.dictionary_encode()]
            kinds += [pa.array(np.full(table.num_rows, -1)).cast(column.type, safe=False)]
        table = table.set_column(at, name, rng.choice(kinds))
    pq.write_table(
        table, path, compression=rng.choice(("zstd", "snappy", "none", "gzip")), use_dictionary=rng.random() < 0.5,
        row_group_size=rng.choice((None, 7, 64)), data_page_version=rng.choice(("1.0", "2.0")),
    )  # fmt: skip
    sign(folder)
    read_run(rng, folder)


def mutate_line(rng: random.Random, path: Path) -> None:
    """Change a line of a JSON-lines file: its value, signed again or not, its text or its bytes."""
    way = rng.randrange(5)
    if way < 3:
        lines: list[Any] = sealed.read_lines(path)
        at = rng.randrange(len(lines))
        lines[at] = mutate_value(rng, lines[at])
        if way < 2:
            sealed.write_lines(path, [jsonable(line) for line in lines])
        else:
            text = "".join(json.dumps(line, default=str, skipkeys=True) + "\n" for line in lines)
            path.write_bytes(text.encode(errors="surrogatepass"))
    elif way == 3:
        path.write_bytes(mutate_text(rng, path.read_text(encoding="utf-8")).encode(errors="surrogatepass"))
    else:
        path.write_bytes(mutate_bytes(rng, path.read_bytes()))


def jsonable(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str, skipkeys=True))


def manifest_lines(s: Sample) -> None:
    form = s.rng.choice(list(FORMATS))
    folder = a_run(s.name, form)
    mutate_line(s.rng, folder / "manifest.jsonl")
    read_run(s.rng, folder)


def arena_lines(s: Sample) -> None:
    folder, plan = an_arena(s.name)
    mutate_line(s.rng, folder / "games.jsonl")
    with within(folder):
        arena = Arena(plan, folder)
        json.dumps([arena.seat_scores(), arena.cross_table()], allow_nan=False)
        if arena.games:
            json.dumps(arena.to_dict(), allow_nan=False)
        again = Arena(plan, folder)
        must(again.pairings == arena.pairings, "the second look finds others")


def run_replays(s: Sample) -> None:
    """Change a replay in the folder of an arena or a run."""
    folder = an_arena(s.name)[0] if s.rng.random() < 0.5 else a_run(s.name, "npz")
    path = s.rng.choice(sorted((folder / "replays").iterdir()))
    mutate_line(s.rng, path)
    with within(folder):
        for one in replays(folder):
            must(len(list(one.states())) == len(one.moves) + 1, "other moves")
        replay.choose_some(path.read_bytes(), str(path), lambda contents: range(len(contents)))


def whole_files(s: Sample) -> None:
    """Replace a file by something else."""
    form = s.rng.choice(list(FORMATS))
    folder = a_run(s.name, form)
    path = a_file(s.rng, folder, form)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("game.npy", s.rng.randbytes(9))
    odd = (
        b"",
        b"\0",
        b"PAR1",
        b"PAR1" * 9,
        b"PK\5\6" + bytes(18),
        buffer.getvalue(),
        b"\x93NUMPY",
        s.rng.randbytes(99),
    )
    path.write_bytes(s.rng.choice(odd))
    sign(folder)
    read_run(s.rng, folder)


def journal_lines(s: Sample) -> None:
    """Change the journal of a match with a person, with which a page goes on after a restart."""

    def make(folder: Path) -> None:
        game, rng = written.games(s.name)[0], random.Random(5)
        state, moves = game.new_state(3), []
        while len(moves) < 6 and not state.is_terminal():
            moves.append([rng.choice(state.legal_actions(slot).tolist() or [-1]) for slot in range(game.num_slots)])
            state.apply(moves[-1] if game.num_slots > 1 else moves[-1][0])
        names = [f"player {player}" for player in range(game.num_players)]
        journal = journals.Journal(folder, "match", types.SimpleNamespace(add=lambda _journal: None), print)
        journal.begin(
            {
                "id": "match", "game": game.name, "seed": 3, "names": names,
                "config": None if game.config is None else game.config.to_dict(),
                "seats": ["", *["random"] * (game.num_players - 1)], "clock": dataclasses.asdict(TimeControl()),
                "recipe": {"game": game.name},
            },
            {"seats": {"0": ["me", "token", "invitation", True]}, "paused": False, "delay_ms": 0},
        )  # fmt: skip
        journal.answer(0, 0, 1, moves[0], 1.5, "nonce")
        journal.add([move if game.num_slots > 1 else move[0] for move in moves], [None] * len(moves))

    async def go_on(folder: Path) -> list[str]:
        gallery = Gallery(folder=folder)
        page = holding.Holding(gallery)
        told = page.resume()
        for _ in range(20):
            await asyncio.sleep(0)
        json.dumps([facts.tell(match, "en") for match in gallery.listed()], allow_nan=False)
        await page.close()
        return told

    folder = copied(template(f"{s.name} journal", make))
    mutate_line(s.rng, folder / journals.FOLDER / "match.jsonl")
    mistakes: list[BaseException] = []
    holding.report = mistakes.append
    with within(folder):
        told = asyncio.run(go_on(folder))
        must(not mistakes, f"a match ended by {mistakes}")
        if told:
            raise masume.ReplayError(told[0])


REFUSED = (masume.ReplayError, masume.ConfigError)
ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = dict.fromkeys(
    (
        shard_bytes,
        npz_members,
        npz_arrays,
        parquet_columns,
        manifest_lines,
        arena_lines,
        run_replays,
        whole_files,
        journal_lines,
        networks,
    ),
    REFUSED,
)
