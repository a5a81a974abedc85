"""Self-play: many games of any agents, in chunks that are written once and never played again.

Game k of a run with seed s is `games[k % len(games)]` with the seed stream(s, k) >> 1. Seat p of it is
played by agents[(p + k // len(games)) % len(agents)], so that seats rotate each time the games have been
gone through, and the agent there starts from stream(seed of the game, p). Nothing else decides a game:
threads, machines, interruptions and whether the agents are native or Python change nothing.

A chunk is so many consecutive games, played as a whole or not at all. Random agents play about CHUNK_ACTIONS unit
actions in one, other native ones an eighth; agents that are asked about many games at once CHUNK_TOGETHER games, others
CHUNK_PYTHON.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..agent import Agent
from ..core import _playout, system
from ..core.config import integer
from ..core.files import write_atomic
from ..errors import ConfigError
from ..play.agents import is_program, make_agent
from ..records.arrays import Field, Shard, check_form, fields_of, numbered, pack, seeds_of
from ..records.replay import Replay, load_some
from ..records.store import REPORT, Store
from .driver import Played, play, play_many, play_programs, record

if TYPE_CHECKING:
    from ..game import Game

CHUNK_ACTIONS = 2**20
CHUNK_BYTES = 2**26  # of the arrays of its plies
CHUNK_TOGETHER = 64
CHUNK_PYTHON = 8
PROBES = 16  # games that are tried for how long they are
REPLAYS = 256
REPLAY_PLIES = 2**16  # 2 s of Terraforming's: they are played once more to be written
REPORT_GAMES = 9
REPORT_MOVES = 2**14  # 4 s of Terraforming's, and 2 MB
SERIES = 50  # points of the throughput chart, at most
SERIES_SHARDS = 4  # behind each of them, at least: threads finish theirs at nearly the same time
LOCAL = "local"


# -- what comes back ----------------------------------------------------------------------------


@dataclasses.dataclass
class Tally:
    """What was played of one game.

    plies : positions left, each by one `apply`. moves : unit actions, one for each slot of each ply. won : games
    by winning seat (return 1). drawn : games that nobody won. busy_s : seconds of all threads together.
    agents : {name: [seats taken, won]}.
    """

    games: int = 0
    plies: int = 0
    moves: int = 0
    won: list[int] = dataclasses.field(default_factory=list)
    drawn: int = 0
    busy_s: float = 0.0
    agents: dict[str, list[int]] = dataclasses.field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count in what `other` counted."""
        self.games += other.games
        self.plies += other.plies
        self.moves += other.moves
        self.won = [sum(pair) for pair in itertools.zip_longest(self.won, other.won, fillvalue=0)]
        self.drawn += other.drawn
        self.busy_s += other.busy_s
        for name, (seats, won) in other.agents.items():
            mine = self.agents.setdefault(name, [0, 0])
            mine[0] += seats
            mine[1] += won


@dataclasses.dataclass(frozen=True)
class Summary:
    """What a run has played, earlier parts of a resumed one included.

    games : {name of the game: Tally}. seconds : of wall time. series : (seconds, games/s) along the run.
    out : the run's folder, None without one.
    """

    games: dict[str, Tally]
    seconds: float
    series: list[tuple[float, float]]
    out: Path | None

    def rows(self) -> list[dict[str, Any]]:
        """One dict a game: game, games, plies, moves, moves_per_s, mean_length (plies), won (by seat), drawn, agents.

        moves_per_s counts unit actions in wall time, which games of one run share as they shared the threads.
        """
        busy = sum(tally.busy_s for tally in self.games.values())
        return [
            {
                "game": name,
                "games": tally.games,
                "plies": tally.plies,
                "moves": tally.moves,
                "moves_per_s": tally.moves / (self.seconds * tally.busy_s / busy),
                "mean_length": tally.plies / tally.games,
                "won": tally.won,
                "drawn": tally.drawn,
                "agents": tally.agents,
            }
            for name, tally in self.games.items()
        ]

    def table(self) -> list[dict[str, Any]]:
        """The same for people: one row a game, whose keys head the columns."""
        return [
            {
                "game": row["game"],
                "games": row["games"],
                "moves": row["moves"],
                "moves/s": round(row["moves_per_s"]),
                "mean length": round(row["mean_length"], 1),
                "won by seat": " ".join(f"{won / row['games']:.1%}" for won in row["won"]),
                "drawn": f"{row['drawn'] / row['games']:.1%}",
            }
            for row in self.rows()
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain JSON types."""
        out = None if self.out is None else str(self.out)
        return {"seconds": self.seconds, "games": self.rows(), "series": self.series, "out": out}


# -- the run ------------------------------------------------------------------------------------


def selfplay(
    games: Sequence[Game],
    agents: Sequence[str],
    *,
    num_games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    out: str | os.PathLike[str] | None = None,
    records: str = "npz",
    keep: Sequence[str] = (),
    replays: int | None = None,
    ray: str | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Summary:
    """Play games of these agents, as the head of this file says, and sum up.

    games : the starts, gone through in turn; they may be of several games. agents : names as `make_agent` knows
    them, and programs (cmd:COMMAND, json:COMMAND), one or more; each seat has its own agent even where names are equal.
    num_games, seconds : when to end, the sooner of the two; time ends a run after the chunks in play.
    threads : 1..; 0 means as many as the machine has. They help native agents, and Python ones that release the GIL.
    out : a folder for records (`masume.load_records`), replays of the first games, `manifest.jsonl` and
    `report.html`; None keeps nothing. A run that was interrupted, even by a kill or a power cut, goes on where
    the manifest ends when it is called again with the same arguments; `seconds` count all its parts.
    records : "npz", or "parquet" (extra `data`). keep : what records hold beside the moves, for each ply: "legal", the
    masks, and fields of the observation. replays : of so many games; None: of 256, but of each chunk no more than have
    65,536 plies together, or of one.
    ray : None for threads; "local" for Ray (extra `ray`) on this machine, with as many workers as `threads` says; else
    the address of a cluster ("auto", "HOST:PORT", "ray://HOST:PORT"), all of whose processors are used.
    progress : called with (games finished, seconds so far), from any thread.

    ConfigError for bad arguments, and for an `out` that holds a run of other ones or is in use. ReplayError for
    files there that are damaged, OSError for what cannot be written. AgentError ends the run where an agent raises or
    answers with what it may not play, or ends its process; finished chunks are kept, as they are after
    KeyboardInterrupt.
    """
    plan = Plan.make(games, agents, seed, num_games, seconds, replays, records, keep)
    if ray not in (None, LOCAL) and threads not in (0, 1):
        raise ConfigError(f"threads: {threads}, but a cluster has its own")
    threads = integer("threads", threads, 0, 1024) or system.count_cpus()
    with contextlib.ExitStack() as stack:
        store = None if out is None else stack.enter_context(Store(Path(out), plan.parameters()))
        shards = {} if store is None else store.shards
        clock = _Clock(shards)
        stop, commit = threading.Event(), threading.Lock()

        def tick(games: int) -> None:
            if stop.is_set():
                raise _Stopped
            finished = clock.count(games)
            if progress:
                progress(finished, clock.seconds())

        def play(chunk: int) -> Callable[[], Made]:
            arrays, tallies = plan.play(chunk, tick)
            return lambda: plan.packed(chunk, arrays, tallies, store is not None)

        def save(pack: Callable[[], Made]) -> None:
            made = pack()
            files = {} if store is None else store.write(made.chunk, made.files)
            tallies = {name: vars(tally) for name, tally in made.tallies.items()}
            shard = {"chunk": made.chunk, "files": files, "tallies": tallies}
            with commit:
                shard["finished_s"] = round(clock.seconds(), 6)
                if store is None:
                    shards[made.chunk] = shard
                else:
                    store.commit(shard)

        tick(0)
        chunks = plan.wanted(shards, clock.seconds)
        if ray is None:
            played = _played_by(threads, chunks, play, stop)
        else:
            from .cluster import played_on

            played = played_on(ray, threads, plan, chunks, store is not None, tick)
        with _Saver(save, threads) as saver, contextlib.closing(played):
            for pack in played:
                saver.add(pack)
        summary = _summary(shards, store)
        if store is not None:
            plugins = [game for game in plan.games if game.config is None]
            write_atomic(store.folder / REPORT, _report(store, plugins, summary).encode())
    return summary


class _Stopped(Exception):  # noqa: N818  (it ends a worker; nobody outside sees it)
    """The run ends: the chunk in play is given up."""


class _Clock:
    """Games and seconds of a run, those of its earlier parts included."""

    def __init__(self, shards: dict[int, dict[str, Any]]) -> None:
        self.games: int = sum(tally["games"] for shard in shards.values() for tally in shard["tallies"].values())
        self._start = time.monotonic() - max((shard["finished_s"] for shard in shards.values()), default=0.0)
        self._lock = threading.Lock()

    def seconds(self) -> float:
        return time.monotonic() - self._start

    def count(self, games: int) -> int:
        with self._lock:
            self.games += games
            return self.games


def _played_by(
    threads: int, chunks: Iterator[int], play: Callable[[int], Callable[[], Made]], stop: threading.Event
) -> Generator[Callable[[], Made]]:
    """What packs each chunk, as it ends; asks for one only when a thread is free."""
    if threads == 1:
        yield from map(play, chunks)
        return
    with ThreadPoolExecutor(threads) as pool:
        running: set[Future[Callable[[], Made]]] = set()
        try:
            while True:
                running |= {pool.submit(play, chunk) for chunk in itertools.islice(chunks, threads - len(running))}
                if not running:
                    return
                ended, running = system.wait_for_one(running)
                for future in ended:
                    yield future.result()
        finally:
            stop.set()  # where the loop was left by an error, the pool waits for those still at work


class _Saver:
    """Has chunks packed and saved while others are played: the disk is slow, and needs no processor.

    ahead : chunks that may wait for the disk. What goes wrong there is raised by `add` or at the end.
    """

    def __init__(self, save: Callable[[Callable[[], Made]], None], ahead: int) -> None:
        self._save, self._ahead = save, ahead
        self._pool = ThreadPoolExecutor(ahead)
        self._waiting: deque[Future[None]] = deque()

    def add(self, pack: Callable[[], Made]) -> None:
        self._waiting.append(self._pool.submit(self._save, pack))
        while len(self._waiting) > self._ahead:
            self._waiting.popleft().result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()  # all that was played is saved, whatever has ended the run
        for future in self._waiting:
            future.result()


@dataclasses.dataclass(frozen=True)
class Made:
    """A chunk that was played. files : its files by kind (store.py), none where nothing is kept."""

    chunk: int
    files: dict[str, bytes]
    tallies: dict[str, Tally]

    @property
    def num_games(self) -> int:
        """How many games it has."""
        return sum(tally.games for tally in self.tallies.values())

    @property
    def busy_s(self) -> float:
        """How long they took."""
        return sum(tally.busy_s for tally in self.tallies.values())


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a run plays and keeps. chunk : games of one. fields : of its records."""

    games: tuple[Game, ...]
    agents: tuple[str, ...]
    seed: int
    num_games: int | None
    seconds: float | None
    replays: int | None
    records: str
    keep: tuple[str, ...]
    chunk: int
    fields: Mapping[str, Field]

    @classmethod
    def make(
        cls,
        games: Sequence[Game],
        agents: Sequence[str],
        seed: int,
        num_games: int | None,
        seconds: float | None,
        replays: int | None,
        records: str,
        keep: Sequence[str],
    ) -> Plan:
        """The plan, all of it checked."""
        if not isinstance(games, Sequence) or not games:
            raise ConfigError(f"games: a list of at least one is wanted, not {games!r}")
        plugins = {game.name: game for game in games if game.config is None}
        for game in games:
            if plugins.get(game.name, game) != game:  # a record names its game, and a plug-in has no config to add
                raise ConfigError(f"games: two plug-ins are named {game.name!r}")
        if isinstance(agents, str) or not agents or not all(isinstance(name, str) for name in agents):
            raise ConfigError(f"agents: a list of names is wanted, not {agents!r}")
        if num_games is None and seconds is None:
            raise ConfigError("num_games: neither num_games nor seconds says when to end")
        if num_games is not None:
            num_games = integer("num_games", num_games, 1, 2**62)
        if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < float("inf")):
            raise ConfigError(f"seconds: {seconds} is no positive number")
        if isinstance(keep, str) or len(set(keep)) < len(keep):
            raise ConfigError(f"keep: a list of different names is wanted, not {keep!r}")
        seed = integer("seed", seed, 0, 2**64 - 1)
        replays = None if replays is None else integer("replays", replays, 0, 2**62)
        tried = [_tried(name, game) for game in {game.name: game for game in games}.values() for name in agents]
        fields = fields_of(games, keep, any(hasattr(agent, "thought") for agent in tried))
        if any(hasattr(agent, "act_many") for agent in tried):
            chunk = CHUNK_TOGETHER
        elif all(name in game.policies for game in games for name in agents):
            actions = CHUNK_ACTIONS if set(agents) == {"random"} else CHUNK_ACTIONS // 8
            chunk = _native_chunk(games, actions, [field for field in fields.values() if field.of == "ply"])
        else:
            chunk = CHUNK_PYTHON
        return cls(
            tuple(games), tuple(agents), seed, num_games, seconds, replays, check_form(records), tuple(keep), chunk,
            fields,
        )  # fmt: skip

    def parameters(self) -> dict[str, Any]:
        """All that decides the files of a run, as plain JSON types."""
        names = ("seed", "num_games", "seconds", "replays", "records", "chunk")
        return {
            "games": [
                {"game": game.name, "config": None if game.config is None else game.config.to_dict()}
                for game in self.games
            ],
            "agents": list(self.agents),
            **{name: getattr(self, name) for name in names},
            "keep": list(self.keep),
            "num_actions": max(game.num_actions for game in self.games),
            "fields": {name: field.to_dict() for name, field in self.fields.items()},
        }

    def wanted(self, done: dict[int, Any], spent: Callable[[], float]) -> Iterator[int]:
        """The chunks to play, ascending; time ends them only behind the first one and those that are done."""
        last: int = max(done, default=-1)
        for chunk in itertools.count():
            if self.num_games is not None and chunk * self.chunk >= self.num_games:
                return
            if chunk > max(last, 0) and self.seconds is not None and spent() >= self.seconds:
                return
            if chunk not in done:
                yield chunk

    def seats(self, k: int) -> list[int]:
        """For each player of game k the place of its agent in `agents`."""
        turn, which = divmod(k, len(self.games))
        return [(player + turn) % len(self.agents) for player in range(self.games[which].num_players)]

    def made(self, chunk: int, with_files: bool, tick: Callable[[int], None]) -> Made:
        """The chunk, played and packed."""
        return self.packed(chunk, *self.play(chunk, tick), with_files)

    def packed(self, chunk: int, arrays: dict[str, NDArray[Any]], tallies: dict[str, Tally], with_files: bool) -> Made:
        """A chunk that was played, with its files if they are wanted."""
        files: dict[str, bytes] = {}
        if with_files:
            files = pack(self.records, self.fields, arrays)
            replays = [line + "\n" for replay in self.replays_of(arrays) for line in replay.to_lines()]
            if replays:
                files["replays"] = "".join(replays).encode()
        return Made(chunk, files, tallies)

    def play(self, chunk: int, tick: Callable[[int], None]) -> tuple[dict[str, NDArray[Any]], dict[str, Tally]]:
        """The arrays of a shard (records.py), and what they count by the name of the game."""
        first = chunk * self.chunk
        end = first + self.chunk if self.num_games is None else min(first + self.chunk, self.num_games)
        ks = np.arange(first, end)
        seeds = seeds_of(self.seed, ks)
        turns = ks % (len(self.games) * len(self.agents))  # equal ones have the same config and seats
        order = np.argsort(turns, kind="stable")
        shard = Shard(self.fields, len(ks))
        tallies: dict[str, Tally] = {}
        with _Cast(self.agents) as cast:
            for rows in np.split(order, np.flatnonzero(np.diff(turns[order])) + 1):
                k = int(ks[rows[0]])
                game, seats = self.games[k % len(self.games)], self.seats(k)
                before = time.perf_counter()
                part = self._part(game, seats, seeds[rows], cast, tick)
                tally = _tally(part, [self.agents[seat] for seat in seats], time.perf_counter() - before)
                shard.add(rows, part | {"agents": np.tile(np.array(seats, np.int16), (len(rows), 1))})
                tallies.setdefault(game.name, Tally()).add(tally)
        return numbered(self.seed, len(self.games), ks) | shard.arrays(), tallies

    def _part(
        self, game: Game, seats: Sequence[int], seeds: NDArray[np.uint64], cast: _Cast, tick: Callable[[int], None]
    ) -> dict[str, NDArray[Any]]:
        """Games of one config with the same seats, as arrays."""
        names = [self.agents[seat] for seat in seats]
        if all(name in game.policies for name in names):
            part = _playout.record(game, seeds, np.array([game.policies.index(name) for name in names], np.int32))
            tick(len(seeds))
        else:
            part = record(_played(game, names, seats, seeds.tolist(), cast, tick), "value" in self.fields)
        if self.keep:
            kept = [name for name in self.keep if name != "legal"]
            again = _playout.replay(game, seeds, part["length"], part["actions"], "legal" in self.keep, kept)
            part |= {name: again[name] for name in self.keep}
        return part

    def replays_of(self, arrays: dict[str, NDArray[Any]]) -> list[Replay]:
        """The games of a shard that are kept as replays too."""
        found: list[Replay] = []
        ends = np.cumsum(arrays["length"])
        for row, k in enumerate(arrays["game"].tolist()):
            if k >= (REPLAYS if self.replays is None else self.replays):
                break
            if self.replays is None and found and ends[row] > REPLAY_PLIES:
                break
            game = self.games[arrays["config"][row]]
            plies = arrays["actions"][ends[row] - arrays["length"][row] : ends[row], : game.num_slots]
            found.append(
                Replay(
                    game,
                    int(arrays["seed"][row]),
                    [self.agents[seat] for seat in self.seats(k)],
                    (plies if game.num_slots > 1 else plies[:, 0]).tolist(),
                    arrays["returns"][row, : game.num_players].tolist(),
                    arrays["scores"][row, : game.num_players].tolist(),
                )
            )
        return found


class _Cast(contextlib.ExitStack):
    """The agents of a chunk, made when they are wanted and closed at its end."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._agents: dict[tuple[str, int, int, int], Agent] = {}
        self._shared: dict[tuple[str, str], Agent] = {}

    def agent(self, game: Game, seat: int, player: int, copy: int = 0) -> Agent:
        """An agent of this place in the names, for a player; different copies are different objects.

        One that is asked about many games at once is one object for all of its name.
        """
        name = self._names[seat]
        if (game.name, name) in self._shared:
            return self._shared[game.name, name]
        key = (game.name, seat, player, copy)
        if key not in self._agents:
            agent = self._agents[key] = make_agent(name, game)
            self.callback(agent.close)
            if hasattr(agent, "act_many"):
                self._shared[game.name, name] = agent
        return self._agents[key]


def _played(
    game: Game, names: Sequence[str], seats: Sequence[int], seeds: Sequence[int], cast: _Cast,
    tick: Callable[[int], None],
) -> list[Played]:  # fmt: skip
    """The games of these seeds, played by agents that are not all native."""
    if any(map(is_program, names)):
        return play_programs(game, names, seeds, tick)
    agents = [cast.agent(game, seat, player) for player, seat in enumerate(seats)]
    if any(hasattr(agent, "act_many") for agent in agents):
        copies = [
            [agent] if hasattr(agent, "act_many")
            else [cast.agent(game, seat, player, copy) for copy in range(len(seeds))]
            for player, (agent, seat) in enumerate(zip(agents, seats, strict=True))
        ]  # fmt: skip
        return play_many(game, copies, seeds, tick)
    found = []
    for seed in seeds:
        found.append(play(game, agents, seed, watch=lambda _: tick(0)))
        tick(1)
    return found


def _tried(name: str, game: Game) -> Agent | None:
    """An agent of this name, only to be looked at; None for a program. ConfigError where it cannot be."""
    if is_program(name):
        from ..referee.seats import make_seat

        if name.startswith("tcp:"):
            raise ConfigError(f"agents: {name}: self-play plays several games at once")
        make_seat(name, game)
        return None
    agent = make_agent(name, game)
    agent.close()
    return agent


def _native_chunk(games: Sequence[Game], actions: int, fields: Sequence[Field]) -> int:
    """So many games that they have about so many unit actions, and CHUNK_BYTES in these fields at the most."""
    plies = slots = 0
    for k, seed in enumerate(seeds_of(0, np.arange(PROBES))):
        game = games[k * len(games) // PROBES]
        part = _playout.record(game, np.array([seed]), np.zeros(game.num_players, np.int32))
        plies += len(part["actions"])
        slots += part["actions"].size
    row = sum(np.dtype(field.dtype).itemsize * int(np.prod(field.shape, dtype=np.int64)) for field in fields)
    return max(1, min(actions * PROBES // slots, CHUNK_BYTES * PROBES // (plies * row)))


def _tally(part: dict[str, NDArray[Any]], names: Sequence[str], seconds: float) -> Tally:
    won = part["returns"] == 1
    agents: dict[str, list[int]] = {}
    for player, name in enumerate(names):
        mine = agents.setdefault(name, [0, 0])
        mine[0] += len(won)
        mine[1] += int(won[:, player].sum())
    return Tally(
        games=len(won),
        plies=len(part["player"]),
        moves=int(np.count_nonzero(part["actions"] >= 0)),
        won=won.sum(axis=0).tolist(),
        drawn=int((~won.any(axis=1)).sum()),
        busy_s=round(seconds, 6),
        agents=agents,
    )


# -- the end ------------------------------------------------------------------------------------


def _report(store: Store, plugins: Sequence[Game], summary: Summary) -> str:
    """The run as an HTML page: the table, the throughput, and games to step through."""
    from ..render import page  # here, because most runs of a library keep nothing

    first = store.shards[0]["files"].get("replays", {}).get("file")
    games = load_some(store.folder / first, _shown, plugins) if first else []
    return page(games, title="masume self-play", summary=summary.table(), throughput=summary.series)


def _shown(contents: Sequence[tuple[str, int]]) -> list[int]:
    """The replays of a report: the first one of every game, then the second ones, ..., and so many as it has room for.

    They end at REPORT_GAMES; but for the first ones they have no more than REPORT_MOVES together.
    """
    rounds: collections.Counter[str] = collections.Counter()
    order = []
    for place, (name, lines) in enumerate(contents):
        order.append((rounds[name], place, lines))
        rounds[name] += 1
    shown = []
    moves = 0
    for nth, place, lines in sorted(order)[:REPORT_GAMES]:
        if nth == 0 or moves + lines <= REPORT_MOVES:
            shown.append(place)
            moves += lines
    return sorted(shown)


def _summary(shards: dict[int, dict[str, Any]], store: Store | None) -> Summary:
    games: dict[str, Tally] = {}
    for shard in shards.values():
        for name, tally in shard["tallies"].items():
            games.setdefault(name, Tally()).add(Tally(**tally))
    finished = sorted(
        (shard["finished_s"], sum(tally["games"] for tally in shard["tallies"].values())) for shard in shards.values()
    )
    points = min(max(len(finished) // SERIES_SHARDS, 1), SERIES)
    rates: list[tuple[float, float]] = []
    since = 0.0
    for point in range(points):
        part = finished[point * len(finished) // points : (point + 1) * len(finished) // points]
        end = part[-1][0]
        rates.append((end, sum(count for _, count in part) / max(end - since, 1e-6)))
        since = end
    return Summary(games, since, rates, None if store is None else store.folder)
