"""Self-play: many games of any agents, in chunks that are written once and never played again.

Game k of a run with seed s is `games[k % len(games)]` with the seed stream(s, k) >> 1. Seat p of it is
played by agents[(p + k // len(games)) % len(agents)], so that seats rotate each time the games have been
gone through, and the agent there starts from stream(seed of the game, p). Nothing else decides a game:
threads, chunks, interruptions and whether the agents are native or Python change nothing.

A chunk is so many consecutive games that they hold at most CHUNK_ACTIONS unit actions, CHUNK_GAMES at the
most, CHUNK_PYTHON where an agent is not native; it is played as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import json
import operator
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _playout
from .agent import Agent, View, make_agent
from .config import integer
from .errors import AgentError, ConfigError, IllegalActionError
from .files import write_atomic
from .records import REPORT, Shard, Store
from .replay import Replay, load
from .rng import mix, stream

if TYPE_CHECKING:
    from ._state import State
    from .game import Game

CHUNK_ACTIONS = 2**21
CHUNK_GAMES = 2048
CHUNK_PYTHON = 8
LENGTH_GUESS = 1000  # plies of a game without a bound
REPORT_GAMES = 9
SERIES = 50  # points of the throughput chart, at most
SERIES_SHARDS = 4  # behind each of them, at least: threads finish theirs at nearly the same time


# -- one game -----------------------------------------------------------------------------------


class Played(NamedTuple):
    """A game that agents have played: its end, and for each ply who decided (-1: all), what, and how long it took.

    actions : one a slot, -1 for a slot not wanted. ms : a number, or one a player (None: had nothing to decide)
    where all decide at once.
    """

    state: State
    players: list[int]
    actions: list[list[int]]
    ms: list[Any]

    def to_replay(self, seed: int, names: Sequence[str]) -> Replay:
        """The game as a replay."""
        game = self.state.game
        moves: Sequence[Any] = self.actions if game.num_slots > 1 else [row[0] for row in self.actions]
        returns, scores = self.state.returns().tolist(), self.state.scores().tolist()
        return Replay(game, seed, list(names), moves, returns, scores, self.ms)


def play(game: Game, agents: Sequence[Agent], seed: int, watch: Callable[[State], None] | None = None) -> Played:
    """One game from `new_state(seed)` to its end; agents[p] plays seat p and starts from stream(seed, p).

    watch : called with the first position and after each ply; it must not change the state.
    AgentError where an agent raises or answers with what it may not play.
    """
    state = game.new_state(seed)
    for player, agent in enumerate(agents):
        with _blamed(agent, player, seed, 0):
            agent.start(game.public, player, stream(seed, player))
    played = Played(state, [], [], [])
    if watch:
        watch(state)
    while deciding := state.slots.tolist():
        actions = [-1] * game.num_slots
        used: list[float | None] = [None] * game.num_players
        for player in sorted(set(deciding)):
            slots = [slot for slot, decider in enumerate(deciding) if decider == player]
            with _blamed(agents[player], player, seed, len(played.players)):
                before = time.perf_counter()
                answer = agents[player].act(View(state, player))
                used[player] = round(1000 * (time.perf_counter() - before), 3)
                for slot, action in zip(slots, _answer(answer, game, len(slots)), strict=True):
                    actions[slot] = action
        try:
            state.apply(actions if game.num_slots > 1 else actions[0])
        except IllegalActionError:
            slot = next(slot for slot in range(len(deciding)) if actions[slot] not in state.legal_actions(slot))
            with _blamed(agents[deciding[slot]], deciding[slot], seed, len(played.players)):
                raise
        played.players.append(-1 if game.is_simultaneous else deciding[0])
        played.actions.append(actions)
        played.ms.append(used if game.is_simultaneous else used[deciding[0]])
        if watch:
            watch(state)
    return played


def _answer(answer: Any, game: Game, wanted: int) -> list[int]:
    """What an agent answered, as one int for each of its slots."""
    answers = list(answer) if game.num_slots > 1 else [answer]
    if len(answers) != wanted:
        raise ValueError(f"{wanted} actions are wanted, one for each of view.slots, not {len(answers)}")
    return [operator.index(action) for action in answers]


@contextlib.contextmanager
def _blamed(agent: Agent, player: int, seed: int, ply: int) -> Iterator[None]:
    """Whatever goes wrong inside is the agent's: AgentError, with the cause behind it."""
    try:
        yield
    except Exception as error:
        what = str(error).partition("\n")[0] or "no message"
        if not isinstance(error, IllegalActionError):
            what = f"{type(error).__name__}: {what}"
        raise AgentError(f"{agent.name}: player {player}, game of seed {seed}, ply {ply}: {what}") from error


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
    replays: int = 256,
    progress: Callable[[int, float], None] | None = None,
) -> Summary:
    """Play games of these agents, as the head of this file says, and sum up.

    games : the starts, gone through in turn; they may be of several games. agents : names as `make_agent` knows
    them, one or more; each seat has its own agent even where names are equal.
    num_games, seconds : when to end, the sooner of the two; time ends a run after the chunks in play.
    threads : 1..; 0 means as many as the machine has. They help native agents, and Python ones that release the GIL.
    out : a folder for records (`masume.load_records`), replays of the first `replays` games, `manifest.json` and
    `report.html`; None keeps nothing. A run that was interrupted, even by a kill or a power cut, goes on where
    the manifest ends when it is called again with the same arguments; `seconds` count all its parts.
    progress : called with (games finished, seconds so far), from any thread.

    ConfigError for bad arguments, and for an `out` that holds a run of other ones or is in use. ReplayError for
    files there that are damaged. AgentError ends the run where an agent raises or answers with what it may not
    play; finished chunks are kept, as they are after KeyboardInterrupt.
    """
    plan = _Plan.make(games, agents, seed, num_games, seconds, replays)
    threads = integer("threads", threads, 0, 1024) or len(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        store = None if out is None else stack.enter_context(Store(Path(out), plan.parameters()))
        shards = {} if store is None else store.shards
        clock = _Clock(shards)
        stop = threading.Event()

        def tick(games: int) -> None:
            if stop.is_set():
                raise _Stopped
            finished = clock.count(games)
            if progress:
                progress(finished, clock.seconds())

        def work(chunk: int) -> dict[str, Any]:
            arrays, tallies = plan.play(chunk, tick)
            files = {} if store is None else store.write(chunk, arrays, plan.replays_of(arrays))
            return {"chunk": chunk, **files, "tallies": {name: vars(tally) for name, tally in tallies.items()}}

        tick(0)
        with contextlib.closing(_finished(plan.wanted(shards, clock.seconds), work, threads, stop)) as finished:
            for shard in finished:
                shards[shard["chunk"]] = shard | {"finished_s": round(clock.seconds(), 6)}
                if store is not None:
                    store.commit()
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


def _finished(
    chunks: Iterator[int], work: Callable[[int], dict[str, Any]], threads: int, stop: threading.Event
) -> Generator[dict[str, Any]]:
    """What `work` makes of each chunk, as it ends; asks for a chunk only when a thread is free."""
    if threads == 1:
        yield from map(work, chunks)
        return
    with ThreadPoolExecutor(threads) as pool:
        running: set[Future[dict[str, Any]]] = set()
        try:
            while True:
                running |= {pool.submit(work, chunk) for chunk in itertools.islice(chunks, threads - len(running))}
                if not running:
                    return
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    yield future.result()
        finally:
            stop.set()  # where the loop was left by an error, the pool waits for those still at work


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What a run plays."""

    games: tuple[Game, ...]
    agents: tuple[str, ...]
    seed: int
    num_games: int | None
    seconds: float | None
    replays: int
    chunk: int  # games of one

    @classmethod
    def make(
        cls,
        games: Sequence[Game],
        agents: Sequence[str],
        seed: int,
        num_games: int | None,
        seconds: float | None,
        replays: int,
    ) -> _Plan:
        """The plan, all of it checked."""
        if not games:
            raise ConfigError("games: at least one is wanted")
        plugins = {game.name: game for game in games if game.config is None}
        for game in games:
            if plugins.get(game.name, game) != game:  # a record names its game, and a plug-in has no config to add
                raise ConfigError(f"games: two plug-ins are named {game.name!r}")
        if isinstance(agents, str) or not agents or not all(isinstance(name, str) for name in agents):
            raise ConfigError(f"agents: a list of names is wanted, not {agents!r}")
        for game in {game.name: game for game in games}.values():
            for name in dict.fromkeys(agents):
                make_agent(name, game).close()
        if num_games is None and seconds is None:
            raise ConfigError("num_games: neither num_games nor seconds says when to end")
        if num_games is not None:
            num_games = integer("num_games", num_games, 1, 2**62)
        if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < float("inf")):
            raise ConfigError(f"seconds: {seconds} is no positive number")
        native = all(name in game.policies for game in games for name in agents)
        longest = max(game.num_slots * (game.max_game_length or LENGTH_GUESS) for game in games)
        chunk = min(max(CHUNK_ACTIONS // longest, 1), CHUNK_GAMES if native else CHUNK_PYTHON)
        seed = integer("seed", seed, 0, 2**64 - 1)
        return cls(tuple(games), tuple(agents), seed, num_games, seconds, integer("replays", replays, 0, 2**62), chunk)

    def parameters(self) -> dict[str, Any]:
        """All that decides the files of a run, as plain JSON types."""
        games = [
            {"game": game.name, "config": None if game.config is None else game.config.to_dict()} for game in self.games
        ]
        rest = {name: getattr(self, name) for name in ("seed", "num_games", "seconds", "replays", "chunk")}
        return {"games": games, "agents": list(self.agents), **rest}

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

    def play(self, chunk: int, tick: Callable[[int], None]) -> tuple[dict[str, NDArray[Any]], dict[str, Tally]]:
        """The arrays of a shard (records.py), and what they count by the name of the game."""
        first = chunk * self.chunk
        end = first + self.chunk if self.num_games is None else min(first + self.chunk, self.num_games)
        ks = np.arange(first, end)
        seeds = seeds_of(self.seed, ks)
        groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}  # what one call of `record` can play together
        for row, k in enumerate(ks.tolist()):
            groups.setdefault((k % len(self.games), tuple(self.seats(k))), []).append(row)
        shard = Shard(len(ks), max(game.num_players for game in self.games))
        tallies: dict[str, Tally] = {}
        with contextlib.ExitStack() as stack:
            cast: dict[tuple[str, int, int], Agent] = {}
            for (which, seats), rows in groups.items():
                game, names = self.games[which], [self.agents[seat] for seat in seats]
                before = time.perf_counter()
                if all(name in game.policies for name in names):
                    policies = np.array([game.policies.index(name) for name in names], np.int32)
                    part = _playout.record(game, seeds[rows], policies)
                    tick(len(rows))
                else:
                    for player, seat in enumerate(seats):
                        if (game.name, player, seat) not in cast:
                            agent = cast[game.name, player, seat] = make_agent(self.agents[seat], game)
                            stack.callback(agent.close)
                    agents = [cast[game.name, player, seat] for player, seat in enumerate(seats)]
                    part = _record(game, seeds[rows].tolist(), agents, tick)
                shard.add(rows, seats, part)
                tally = _tally(part, names, time.perf_counter() - before)
                tallies.setdefault(game.name, Tally()).add(tally)
        head: dict[str, NDArray[Any]] = {"game": ks, "config": (ks % len(self.games)).astype(np.int32), "seed": seeds}
        return {**head, **shard.arrays(), "names": np.array(self.agents), "configs": self._configs}, tallies

    @functools.cached_property
    def _configs(self) -> NDArray[np.bytes_]:
        return np.array([json.dumps(game).encode() for game in self.parameters()["games"]])

    def replays_of(self, arrays: dict[str, NDArray[Any]]) -> list[Replay]:
        """The games of a shard that are kept as replays too."""
        found = []
        ends = np.cumsum(arrays["length"])
        for row, k in enumerate(arrays["game"].tolist()):
            if k >= self.replays:
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


def seeds_of(seed: int, ks: NDArray[Any]) -> NDArray[np.uint64]:
    """uint64: the seed stream(seed, k) >> 1 of each game k of a run."""
    z = np.uint64(mix(seed)) + ks.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)  # masume.rng.mix, of arrays
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(1)


def _record(game: Game, seeds: Sequence[int], agents: Sequence[Agent], tick: Callable[[int], None]) -> dict[str, Any]:
    """What `_playout.record` returns, of games that Python agents play."""
    games = []
    for seed in seeds:
        games.append(play(game, agents, seed, watch=lambda _: tick(0)))
        tick(1)
    return {
        "lengths": np.array([len(played.players) for played in games], np.int64),
        "players": np.array([player for played in games for player in played.players], np.int8),
        "actions": np.array([row for played in games for row in played.actions], np.int64).reshape(-1, game.num_slots),
        "returns": np.array([played.state.returns() for played in games], np.float32),
        "scores": np.array([played.state.scores() for played in games], np.int64),
    }


def _tally(part: dict[str, NDArray[Any]], names: Sequence[str], seconds: float) -> Tally:
    won = part["returns"] == 1
    agents: dict[str, list[int]] = {}
    for player, name in enumerate(names):
        mine = agents.setdefault(name, [0, 0])
        mine[0] += len(won)
        mine[1] += int(won[:, player].sum())
    return Tally(
        games=len(won),
        plies=len(part["players"]),
        moves=int(np.count_nonzero(part["actions"] >= 0)),
        won=won.sum(axis=0).tolist(),
        drawn=int((~won.any(axis=1)).sum()),
        busy_s=round(seconds, 6),
        agents=agents,
    )


# -- the end ------------------------------------------------------------------------------------


def _report(store: Store, plugins: Sequence[Game], summary: Summary) -> str:
    """The run as an HTML page: the table, the throughput, and the first games to step through."""
    from .render import page  # here, because most runs of a library keep nothing

    first = next((entry["replays"]["file"] for entry in store.shards.values() if "replays" in entry), None)
    games = load(store.folder / first, plugins)[:REPORT_GAMES] if first else []
    return page(games, title="masume self-play", summary=summary.table(), throughput=summary.series)


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
