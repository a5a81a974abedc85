"""Arenas: many games between several agents, that say who is stronger and how sure it is.

A *pairing* is one line-up of agents on one seed, played once for every rotation of the seats, so that nobody is
favoured by seat or start. The k-th seed of a run with seed s is stream(s, k) >> 1, and each line-up plays the same
ones. Every pairing that was played is a line of `games.jsonl` in the run's folder, behind a header that says what is
played; a run with the same arguments goes on after the last of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
import json
import math
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import system
from ..core.config import integer
from ..core.files import append, locked, read_regular, write_atomic
from ..core.rng import stream
from ..errors import ConfigError, MatchError, ReplayError
from ..records import replay
from ..records.reading import COUNT, INTEGER, REAL, parsing, seal, unseal
from ..referee import match
from ..referee.clock import TimeControl
from ..referee.seats import make_seat
from .agents import is_program
from .ratings import Outcome, Rating, Test, ratings, score_interval, wins

if TYPE_CHECKING:
    from ..game import Game

MAX_AGENTS, MAX_GAMES, MAX_ROUNDS = 256, 1_000_000, 1000
VERSION = 1
ENDING_S = 15.0  # for the workers of a run that ends early to close their seats


@dataclasses.dataclass(frozen=True)
class Tournament:
    """What an arena plays.

    agents : as text, at least as many as seats. With exactly as many they play each other, and names may repeat
    (`mcts:100 greedy greedy`); with more, each choice of as many as there are seats. games : of each line-up, a
    multiple of the number of seats. rounds : of a Swiss system, in each of which agents meet those next to them in the
    table; 0: everybody meets everybody. stop_at : with two different agents, the mean score of the first that the
    games are to decide about: they end when it is clearly above or below.

    ConfigError names the argument.
    """

    game: Game
    agents: tuple[str, ...]
    games: int
    seed: int = 0
    rounds: int = 0
    control: TimeControl = dataclasses.field(default_factory=TimeControl)
    stop_at: float | None = None

    def __post_init__(self) -> None:
        seats = self.game.num_players
        if not seats <= len(self.agents) <= MAX_AGENTS:
            raise ConfigError(f"agents: {seats}..{MAX_AGENTS} are wanted, not {len(self.agents)}")
        if len(self.agents) > seats and len(set(self.agents)) < len(self.agents):
            raise ConfigError("agents: one is named twice, which only agents as many as seats may be")
        if len(self.names) < 2:
            raise ConfigError(f"agents: {self.agents[0]} alone cannot be compared")
        integer("games", self.games, 1, MAX_GAMES)
        integer("seed", self.seed, 0, 2**64 - 1)
        if self.games % seats:
            raise ConfigError(f"games: {self.games} is no multiple of the {seats} seats, which take turns")
        integer("swiss", self.rounds, 0, MAX_ROUNDS)
        if self.rounds and len(self.agents) == seats:
            raise ConfigError(f"swiss: {seats} agents meet anyway")
        if self.stop_at is not None:
            if len(self.names) != 2 or self.rounds:
                raise ConfigError("stop_at: it is for two different agents that meet directly")
            Test(self.stop_at)

    @property
    def names(self) -> list[str]:
        """The different agents, in the order given."""
        return list(dict.fromkeys(self.agents))

    def to_dict(self) -> dict[str, Any]:
        """What decides the games, as plain JSON types: the header of a run."""
        config = self.game.config.to_dict() if self.game.config else None
        return {
            "t": "arena",
            "version": VERSION,
            "game": self.game.name,
            "config": config,
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
            "swiss": self.rounds,
            "clock": dataclasses.asdict(self.control),
            "stop_at": self.stop_at,
        }


@dataclasses.dataclass
class ArenaGame:
    """A game of an arena: the agent (its place in `Tournament.names`) on each seat, and how it went."""

    seats: list[int]
    returns: list[float]
    scores: list[int]
    plies: int
    reason: str | None
    faults: list[list[Any]]  # [agent, cause, detail]

    @property
    def outcome(self) -> Outcome:
        """What ratings want to know of it."""
        return Outcome(self.seats, self.returns)

    @property
    def first(self) -> list[int]:
        """The agents of the seats that nobody did better than."""
        best = max(self.returns)
        return [agent for agent, value in zip(self.seats, self.returns, strict=True) if value == best]

    def score(self, agent: int) -> float:
        """1 for a win, 1/2 for a shared first place, 0 otherwise; the mean of its seats if an agent has several."""
        won = self.first.count(agent) / self.seats.count(agent)
        return won if len(self.first) == 1 else 0.5 * won


GAME = {
    "seats": [COUNT], "returns": [REAL], "scores": [INTEGER], "plies": COUNT, "reason": str | None,
    "faults": [(COUNT, str, str)],
}  # fmt: skip
PAIRING = {"pairing": COUNT, "games": [GAME]}
"""The shape of a line of `games.jsonl`."""


@dataclasses.dataclass
class Standing:
    """One agent's row of the table.

    score : its mean, with low and high of the 95 % interval. wins, draws, losses : games in which it alone was first,
    in which another was too, and the others. rating : None if it was not asked for.
    """

    name: str
    games: int
    score: float
    low: float
    high: float
    wins: int
    draws: int
    losses: int
    faults: int
    rating: Rating | None


class Arena:
    """A run: its plan, and the games played so far."""

    def __init__(self, plan: Tournament, folder: str | os.PathLike[str] | None = None) -> None:
        self.plan = plan
        self.folder = None if folder is None else Path(folder)
        self.pairings: dict[int, list[ArenaGame]] = {}
        self.verdict: str | None = None
        if self.folder is not None:
            with locked(self.folder):
                self._resume(self.folder)

    # -- files ----------------------------------------------------------------------------------------

    def _resume(self, folder: Path) -> None:
        """Take up what the folder holds; ConfigError if it is another run, ReplayError if it is damaged."""
        path = folder / "games.jsonl"
        header = json.dumps(self.plan.to_dict()).encode()
        if not path.exists():
            write_atomic(path, header + b"\n")
            return
        data = read_regular(path)
        first, *lines = data.split(b"\n")
        if first != header:
            raise ConfigError(f"out: {folder} holds a run with other arguments")
        torn = lines.pop() if lines else b""  # by a power cut: it is played again
        for number, line in enumerate(lines, 2):
            with parsing(f"{path}:{number}"):
                pairing, games = self._read(line)
            self.pairings[pairing] = games
        if torn or not data.endswith(b"\n"):
            write_atomic(path, b"".join(line + b"\n" for line in [first, *lines]))

    def _read(self, line: bytes) -> tuple[int, list[ArenaGame]]:
        """The number of a pairing and its games, from a line of `games.jsonl`; ReplayError where it is none."""
        names, seats = self.plan.names, self.plan.game.num_players
        entry = unseal(line, PAIRING)
        games = [ArenaGame(**one) for one in entry["games"]]
        if len(games) != seats:
            raise ReplayError(f"games: {seats} are wanted, not {len(games)}")
        for turn, one in enumerate(games):
            for name in ("seats", "returns", "scores"):
                if len(getattr(one, name)) != seats:
                    raise ReplayError(f"games[{turn}].{name}: {seats} are wanted, not {len(getattr(one, name))}")
            for name, agents in (("seats", one.seats), ("faults", [fault[0] for fault in one.faults])):
                if max(agents, default=0) >= len(names):
                    raise ReplayError(f"games[{turn}].{name}: there are {len(names)} agents, no {max(agents)}")
            if one.seats != [*games[0].seats[turn:], *games[0].seats[:turn]]:
                raise ReplayError(f"games[{turn}].seats: not those of the first game in turn")
        if len(self.plan.agents) > seats and len(set(games[0].seats)) < seats:
            raise ReplayError(f"games[0].seats: {seats} different agents are wanted")
        return integer("pairing", entry["pairing"], 0, self.total // seats - 1), games

    def _keep(self, number: int, games: list[ArenaGame], replays: bytes) -> None:
        """Note a pairing: first its replays, then its line."""
        if self.folder is not None:
            (self.folder / "replays").mkdir(exist_ok=True)
            write_atomic(self.folder / "replays" / f"{number:06d}.jsonl", replays)
            line = seal({"pairing": number, "games": [dataclasses.asdict(one) for one in games]})
            append(self.folder / "games.jsonl", line)
        self.pairings[number] = games

    # -- what is played -------------------------------------------------------------------------------

    def _line_ups(self) -> Iterator[list[tuple[int, ...]]]:
        """Yield the line-ups of each round, as places in `Tournament.names`; a Swiss round follows from those before.

        Swiss: the first of the table meets those next to it whom it has met in the fewest rounds, and so on. Those who
        are too many rest: who has rested least, of these the last of the table.
        """
        plan, seats = self.plan, self.plan.game.num_players
        if len(plan.agents) == seats:
            yield [tuple(map(plan.names.index, plan.agents))]
            return
        if not plan.rounds:
            yield list(itertools.combinations(range(len(plan.names)), seats))
            return
        met: Counter[frozenset[int]] = Counter()
        rests: Counter[int] = Counter()
        each, number = plan.games // seats, 0
        for _ in range(plan.rounds):
            before = [one for n in range(number) for one in self.pairings[n]]
            mine = [[one.score(agent) for one in before if agent in one.seats] for agent in range(len(plan.names))]
            table = sorted(range(len(plan.names)), key=lambda agent: -sum(mine[agent]) / max(1, len(mine[agent])))
            by_rests = sorted(table, key=lambda agent: (rests[agent], -table.index(agent)))
            for agent in by_rests[: len(table) % seats]:
                rests[agent] += 1
                table.remove(agent)
            round_ = []
            while table:
                first, *others = table
                rounds = {other: met[frozenset((first, other))] for other in others}
                round_.append((first, *sorted(others, key=rounds.__getitem__)[: seats - 1]))
                met.update(frozenset(pair) for pair in itertools.combinations(round_[-1], 2))
                table = [agent for agent in table if agent not in round_[-1]]
            number += each * len(round_)
            yield round_

    @property
    def total(self) -> int:
        """How many games there will be, if nothing ends it early."""
        plan, seats = self.plan, self.plan.game.num_players
        line_ups = 1 if len(plan.agents) == seats else math.comb(len(plan.agents), seats)
        return plan.games * (plan.rounds * (len(plan.agents) // seats) or line_ups)

    def run(self, jobs: int = 1, progress: Callable[[int], None] | None = None) -> None:
        """Play what is missing, `jobs` pairings at once; Ctrl-C and errors end what is under way and keep the rest.

        progress : called with the number of games played.

        ConfigError for an agent's name that is none and for a folder where another run is under way, MatchError where a
        worker was killed, OSError for a file that cannot be written.
        """
        integer("jobs", jobs, 1, system.MAX_WORKERS)
        with contextlib.ExitStack() as stack:
            if any(map(is_program, self.plan.names)):  # its workers start them, and have memory of their own
                stack.enter_context(system.private_memory())
            if self.folder is not None:
                stack.enter_context(locked(self.folder))
                self._resume(self.folder)  # another run may have played since this one looked
            self._run(jobs, progress)

    def _run(self, jobs: int, progress: Callable[[int], None] | None) -> None:
        each = self.plan.games // self.plan.game.num_players
        number = 0
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _ignore_ctrl_c)
        try:
            for line_ups in self._line_ups():
                tasks = []
                for k in range(each):  # all line-ups advance together: an early look at the table is fair
                    for line_up in line_ups:
                        tasks.append((number, line_up, stream(self.plan.seed, k) >> 1))
                        number += 1
                self._play(pool, jobs, tasks, progress)
                if self.verdict:
                    return
        except BrokenProcessPool:
            raise MatchError("arena: a worker process was killed; what was played is kept") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _end([worker for worker in multiprocessing.active_children() if worker not in others])

    def _play(
        self,
        pool: ProcessPoolExecutor,
        jobs: int,
        tasks: Sequence[tuple[int, tuple[int, ...], int]],
        progress: Callable[[int], None] | None,
    ) -> None:
        """Play the pairings of a round that are not there; what is decided is decided in their order."""
        plan = self.plan
        test = None if plan.stop_at is None else Test(plan.stop_at)
        waiting = iter([task for task in tasks if task[0] not in self.pairings])
        judged = 0
        running: dict[Future[Any], int] = {}
        while True:
            while test is not None and judged < len(tasks) and tasks[judged][0] in self.pairings:
                games = self.pairings[tasks[judged][0]]
                test.add(sum(one.score(0) for one in games) / len(games))
                judged += 1
                if test.verdict:  # games that other jobs have played beyond it do not count
                    self.verdict = test.verdict
                    self.pairings = {task[0]: self.pairings[task[0]] for task in tasks[:judged]}
                    break
            if progress:
                progress(len(self.pairings) * plan.game.num_players)
            if self.verdict:
                return
            for number, line_up, seed in itertools.islice(waiting, 2 * jobs - len(running)):
                names = [plan.names[agent] for agent in line_up]
                running[pool.submit(_pairing, plan.game, names, list(line_up), seed, plan.control)] = number
            if not running:
                return
            ended, _ = system.wait_for_one(running)
            for future in ended:
                self._keep(running.pop(future), *future.result())

    # -- what came out --------------------------------------------------------------------------------

    @property
    def games(self) -> list[ArenaGame]:
        """All games, in the order of the plan."""
        return [one for number in sorted(self.pairings) for one in self.pairings[number]]

    def standings(self, rated: bool = True) -> list[Standing]:
        """A row for each agent, the best first: by rating, which needs the extra `rating`, or else by score."""
        plan, games = self.plan, self.games
        found = ratings([one.outcome for one in games], len(plan.names)) if rated and games else None
        rows = []
        for agent, name in enumerate(plan.names):
            mine = [one for one in games if agent in one.seats]
            scores = [one.score(agent) for one in mine]
            mean, low, high = score_interval(scores) if scores else (0.0, 0.0, 1.0)
            won = sum(set(one.first) == {agent} for one in mine)
            drawn = sum(agent in one.first for one in mine) - won
            faults = sum(fault[0] == agent for one in mine for fault in one.faults)
            row = Standing(name, len(mine), mean, low, high, won, drawn, len(mine) - won - drawn, faults, None)
            row.rating = found[agent] if found else None
            rows.append(row)
        return sorted(rows, key=lambda row: -(row.rating.elo if row.rating else row.score))

    def cross_table(self) -> list[list[float | None]]:
        """[a][b]: the share of their comparisons that agent a won against b, None where they did not meet."""
        table = wins([one.outcome for one in self.games], len(self.plan.names))
        met = table + table.T
        return [
            [float(table[a, b] / met[a, b]) if met[a, b] else None for b in range(len(table))]
            for a in range(len(table))
        ]

    def seat_scores(self) -> list[float]:
        """The mean score of each seat: what playing there is worth among equals. Empty before the first game."""
        games = self.games
        if not games:
            return []
        return [
            sum(ArenaGame(list(range(len(one.seats))), one.returns, [], 0, None, []).score(seat) for one in games)
            / len(games)
            for seat in range(self.plan.game.num_players)
        ]

    def to_dict(self) -> dict[str, Any]:
        """All that came out, as plain JSON types: the plan, standings, cross table, seats, verdict."""
        names, cross = self.plan.names, self.cross_table()
        standings = []
        for row in map(dataclasses.asdict, self.standings()):
            rating = row.pop("rating") or {}
            standings.append({**row, **rating})
        return {
            **{name: value for name, value in self.plan.to_dict().items() if name not in ("t", "version")},
            "standings": standings,
            "cross": {
                name: {other: share for other, share in zip(names, row, strict=True) if share is not None}
                for name, row in zip(names, cross, strict=True)
            },
            "seats": self.seat_scores(),
            "verdict": self.verdict,
        }


def _ignore_ctrl_c() -> None:
    """A worker leaves Ctrl-C, which the terminal sends to all, to the process that gives it work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(workers: Sequence[multiprocessing.process.BaseProcess]) -> None:
    """End processes: they close their seats, or are killed."""
    for worker in workers:
        worker.terminate()
    deadline = time.monotonic() + ENDING_S
    for worker in workers:
        worker.join(max(0.0, deadline - time.monotonic()))
        if worker.is_alive():
            worker.kill()


def _pairing(
    game: Game, names: Sequence[str], agents: list[int], seed: int, control: TimeControl
) -> tuple[list[ArenaGame], bytes]:
    """Play a pairing: a game for each rotation of the seats; the games, and their replays as JSON lines."""
    try:
        return asyncio.run(_rotations(game, names, agents, seed, control))
    except asyncio.CancelledError:
        os._exit(1)  # the seats are closed; a pool's worker would go on with what it has been given already


async def _rotations(
    game: Game, names: Sequence[str], agents: list[int], seed: int, control: TimeControl
) -> tuple[list[ArenaGame], bytes]:
    contestants = [make_seat(name, game) for name in names]
    games, lines = [], []
    this = asyncio.current_task()
    assert this is not None
    with system.on_terminate(asyncio.get_running_loop(), this.cancel):
        try:
            for turn in range(len(contestants)):
                seats = [*agents[turn:], *agents[:turn]]
                record = await match.play_match(game, [*contestants[turn:], *contestants[:turn]], seed, control)
                one = record.replay
                faults = [[seats[fault.player], fault.cause, fault.detail] for fault in record.faults]
                games.append(ArenaGame(seats, one.returns, one.scores, len(one.moves), one.reason, faults))
                lines += one.to_lines()
        finally:
            await asyncio.gather(*(seat.close() for seat in contestants))
    return games, "".join(line + "\n" for line in lines).encode()


def replays(folder: str | os.PathLike[str]) -> Iterator[replay.Replay]:
    """The games of a run's folder, in the order of the plan."""
    for path in replay.files_of(Path(folder)):
        yield from replay.load(path)
