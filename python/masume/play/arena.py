"""Arenas: tournaments that rank several agents and show how certain the ranking is.

A *pairing* is one line-up of agents on one seed, played once for every rotation of the seats, so that neither seat nor
start favours anybody. The k-th seed of a run with seed s is stream(s, k) >> 1; all line-ups play the same seeds. Where
the config draws the board, each seed gives another one (`Game.redrawn`). Each pairing that was
played is a line of `games.jsonl` in the run's folder, after a header with the parameters of the run; a run with the
same arguments continues after the last line.
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
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol, cast

from ..agents.given import AgentLike, GivenAgent, name_agents
from ..agents.make import is_program
from ..agents.names import distinct, split_name
from ..core import system
from ..core.config import integer
from ..core.files import locked, write_atomic
from ..core.growing import GrowingFile
from ..core.rng import stream
from ..core.shapes import COUNT
from ..errors import ConfigError, MatchError, ReplayError
from ..game import Game, load
from ..pairings.swiss import swiss_line_ups
from ..records import replay
from ..records.reading import parsing, seal, unseal
from ..referee.clock import TimeControl
from ..referee.seats import make_seat
from . import pairing
from .pairing import GAME, PairingGame, play_pairing
from .ratings import Rating, Test, ratings, score_interval, wins

MAX_AGENTS, MAX_GAMES, MAX_ROUNDS = 256, 1_000_000, 1000
VERSION = 3
ENDING_S = 15.0  # for the workers to close their seats when a run ends early


@dataclasses.dataclass(frozen=True)
class Tournament:
    """Plan of an arena: the game, the agents and the number of games.

    Parameters
    ----------
    game : Game
        The game that is played.
    agents : sequence of str, Agent, class or callable
        Who plays, as `make_seat` takes them, at least one per seat, at most 256; names once the plan is made.
        With exactly one per seat they play each other, and a name may occur twice (`mcts:100 greedy greedy`). With
        more, every combination of `game.num_players` agents plays, and names must differ. Agents play in other
        processes, to which objects, classes and functions are sent by pickle: define them in a module or a script.
    games : int
        Number of games of each line-up, 1..1,000,000; a multiple of the number of seats, or 1: then nobody swaps seats,
        and who begins is balanced over the line-ups as far as it can be. In a Swiss tournament: of each
        line-up of each round.
    seed : int, optional
        Seed of the run, 0..2**64 - 1.
    rounds : int, optional
        Number of rounds of a Swiss tournament, 0..1000, in each of which agents meet their neighbours in the table.
        0: every line-up plays.
    control : TimeControl, optional
        Time of each player; no limit by default.
    stop_at : float, optional
        For two different agents: a mean score of the first agent, 0.05..0.95. The games end as soon as its score is
        clearly above or below (`ratings.Test`).

    Raises
    ------
    ConfigError
        If an argument is out of range; the message names it.
    """

    game: Game
    agents: Sequence[AgentLike]
    games: int
    seed: int = 0
    rounds: int = 0
    control: TimeControl = dataclasses.field(default_factory=TimeControl)
    stop_at: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.agents, str) or not isinstance(self.agents, Sequence):
            raise ConfigError(f"agents: expected a list of agents, got {self.agents!r:.60}")
        object.__setattr__(self, "agents", name_agents(self.agents))
        seats = self.game.num_players
        if not seats <= len(self.agents) <= MAX_AGENTS:
            raise ConfigError(f"agents: expected {seats}..{MAX_AGENTS}, got {len(self.agents)}")
        if len(self.agents) > seats and len(set(self.agents)) < len(self.agents):
            raise ConfigError("agents: a name may repeat only if there is one agent for each seat")
        if len(self.names) < 2:
            raise ConfigError(f"agents: expected at least two different ones, got only {self.agents[0]}")
        integer("games", self.games, 1, MAX_GAMES)
        integer("seed", self.seed, 0, 2**64 - 1)
        if self.games % seats and self.games != 1:
            wanted = f"1, or a multiple of {seats}, so that the agents swap seats"
            raise ConfigError(f"games: expected {wanted}, got {self.games}")
        integer("swiss", self.rounds, 0, MAX_ROUNDS)
        if self.rounds and len(self.agents) == seats:
            raise ConfigError(f"swiss: expected more than {seats} agents, got {len(self.agents)}")
        if self.stop_at is not None:
            if len(self.names) != 2 or self.rounds:
                raise ConfigError("stop_at: expected two different agents and no Swiss rounds")
            Test(self.stop_at)

    @property
    def names(self) -> list[str]:
        """The different agents, in the order given."""
        return list(dict.fromkeys(cast(Sequence[str], self.agents)))

    @property
    def each(self) -> int:
        """Number of games of a pairing: one for each rotation of the seats, or 1 if only one is played."""
        return min(self.games, self.game.num_players)

    @property
    def labels(self) -> list[str]:
        """What the agents are called: the names in `NAME=AGENT`, equal ones told apart, else the agents themselves."""
        return distinct([split_name(agent)[0] or agent for agent in self.names])

    def to_dict(self) -> dict[str, Any]:
        """Return everything that decides the games, as plain JSON types: the header of a run."""
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


class ArenaShow(pairing.Show, Protocol):
    """Where the games of an arena are shown while they are played."""

    def announce(self, names: Sequence[str]) -> None:
        """Name the agents that play next; nobody after the last pairing."""


PAIRING = {"pairing": COUNT, "games": [GAME]}
"""The shape of a line of `games.jsonl`."""
PAIRING_1 = {"pairing": COUNT, "games": [GAME | {"faults": [(COUNT, str, str)]}]}
"""The same in version 1, which kept no move and no log of a fault."""


@dataclasses.dataclass
class Standing:
    """One agent's row of the table.

    Attributes
    ----------
    name : str
        The agent, as the tournament names it.
    games : int
        Number of games it played.
    score, low, high : float
        Its mean score, 0..1, and the ends of its 95 % interval (Wilson).
    wins, draws, losses : int
        Games in which it alone had the highest return, shared it, or did not have it.
    faults : int
        Number of its faults: timeouts, crashes, illegal actions and the like.
    rating : Rating or None
        Its rating; None if none was computed.
    not_played : int
        Number of games that it has in the plan and that were not played, because its program or another could not be
        started; they count nowhere else.
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
    not_played: int = 0

    def facts(self) -> dict[str, object]:
        """Return the row for notebooks, by headings."""
        return {
            "games": self.games,
            "score": f"{self.score:.3f} ({self.low:.3f} to {self.high:.3f})",
            "won, drawn, lost": (self.wins, self.draws, self.losses),
            "faults": self.faults,
            **({} if self.rating is None else {"elo": f"{self.rating.elo:+.0f} ± {self.rating.interval:.0f}"}),
        }

    def _repr_html_(self) -> str:
        from ..render import notebook

        return notebook.draw_card(self.name, self.facts())


class Standings(list[Standing]):
    """The rows of a tournament's table, the best agent first."""

    def _repr_html_(self) -> str:
        from ..render import notebook

        return notebook.draw_table({"agent": one.name} | one.facts() for one in self)


class Arena:
    """A run of a tournament: its plan and the games played so far.

    Parameters
    ----------
    plan : Tournament
        The plan.
    folder : path-like, optional
        Where the run keeps its games and replays. If the folder holds the same run, that run continues. None: nothing
        is kept.

    Attributes
    ----------
    pairings : dict
        The games played so far: a list of PairingGame per number of a pairing.
    verdict : str or None
        "above" or "below" once `stop_at` is decided.

    Raises
    ------
    ConfigError
        If the folder holds a run with other arguments, or if another process uses it.
    ReplayError
        If the folder's `games.jsonl` is damaged.
    """

    def __init__(self, plan: Tournament, folder: str | os.PathLike[str] | None = None) -> None:
        self.plan = plan
        self.folder = None if folder is None else Path(folder)
        self.pairings: dict[int, list[PairingGame]] = {}
        self.verdict: str | None = None
        if self.folder is not None:
            with locked(self.folder):
                self._resume(self.folder)

    # -- files ----------------------------------------------------------------------------------------

    def _resume(self, folder: Path) -> None:
        """Read the games in the folder; raise ConfigError if it holds another run, ReplayError if it is damaged."""
        self._file = GrowingFile(folder / "games.jsonl")
        path = self._file.path
        header = json.dumps(self.plan.to_dict()).encode()
        if not path.exists():
            self._file.replace(header + b"\n")
            return
        first, *lines = self._file.read_lines() or [b""]
        second = json.dumps(self.plan.to_dict() | {"version": 2}).encode()
        is_old = first == json.dumps(self.plan.to_dict() | {"version": 1}).encode() and not self.plan.rounds
        if is_old:
            with parsing(str(path)):
                first, *lines = [second, *map(_from_version_1, lines)]
        game = self.plan.game
        if first == second and game.config is not None and game.redrawn(1) is not game:  # all games are on one board
            self.plan = dataclasses.replace(self.plan, game=load(game.name, **game.config.to_dict()))
        elif first not in (header, second):
            raise ConfigError(f"out: {folder} holds a run with other arguments")
        pairings: dict[int, list[PairingGame]] = {}
        for number, line in enumerate(lines, 2):
            with parsing(f"{path}:{number}"):
                pairing, games = self._read(line)
                if pairing in pairings:
                    raise ReplayError(f"pairing: {pairing} is in an earlier line too")
            pairings[pairing] = games
        self.pairings = pairings
        if is_old:
            self._file.replace(b"".join(line + b"\n" for line in [first, *lines]))
        else:
            self._file.mend()

    def _read(self, line: bytes) -> tuple[int, list[PairingGame]]:
        """Return a pairing's number and games, from a line of `games.jsonl`; raise ReplayError if it is malformed."""
        names, seats = self.plan.names, self.plan.game.num_players
        entry = unseal(line, PAIRING)
        games = [PairingGame(**game) for game in entry["games"]]
        if len(games) != self.plan.each:
            raise ReplayError(f"games: expected {self.plan.each}, got {len(games)}")
        for turn, game in enumerate(games):
            for name in ("seats", "returns", "scores"):
                if len(getattr(game, name)) != seats:
                    raise ReplayError(f"games[{turn}].{name}: expected {seats}, got {len(getattr(game, name))}")
            for name, agents in (("seats", game.seats), ("faults", [fault[0] for fault in game.faults])):
                if max(agents, default=0) >= len(names):
                    raise ReplayError(f"games[{turn}].{name}: expected 0..{len(names) - 1}, got {max(agents)}")
            rotated = [*games[0].seats[turn:], *games[0].seats[:turn]]
            if game.seats != rotated:
                wanted = f"{rotated}, the rotated seats of the first game"
                raise ReplayError(f"games[{turn}].seats: expected {wanted}, got {game.seats}")
        if len(self.plan.agents) > seats and len(set(games[0].seats)) < seats:
            raise ReplayError(f"games[0].seats: expected {seats} different agents")
        return integer("pairing", entry["pairing"], 0, self.total // self.plan.each - 1), games

    def _keep(self, number: int, games: list[PairingGame], replays: bytes) -> None:
        """Record a pairing: write its replays first, then its line."""
        if self.folder is not None:
            (self.folder / "replays").mkdir(exist_ok=True)
            if replays:
                write_atomic(self.folder / "replays" / f"{number:06d}.jsonl", replays)
            line = seal({"pairing": number, "games": [dataclasses.asdict(one) for one in games]})
            self._file.append(line)
        self.pairings[number] = games

    # -- what is played -------------------------------------------------------------------------------

    def _line_ups(self) -> Iterator[list[tuple[int, ...]]]:
        """Yield the line-ups of each round, as indices into `Tournament.names`; a Swiss round depends on earlier ones.

        In a Swiss round the leader of the table meets the agents that it has met in the fewest rounds, of these the
        nearest in the table; the rest of the table follows likewise. Surplus agents rest: those with the fewest rests,
        of these the last in the table.
        """
        plan, seats = self.plan, self.plan.game.num_players
        if len(plan.agents) == seats:
            yield [tuple(plan.names.index(cast(str, agent)) for agent in plan.agents)]
            return
        if not plan.rounds:
            yield list(itertools.combinations(range(len(plan.names)), seats))
            return
        met: Counter[frozenset[int]] = Counter()
        rests: Counter[int] = Counter()
        each, number = plan.games // plan.each, 0
        for _ in range(plan.rounds):
            before = [game for n in range(number) for game in self.pairings[n] if game.is_played]
            own_scores = [
                [game.score(agent) for game in before if agent in game.seats] for agent in range(len(plan.names))
            ]
            table = sorted(
                range(len(plan.names)), key=lambda agent: -sum(own_scores[agent]) / max(1, len(own_scores[agent]))
            )
            round_, resting = swiss_line_ups(table, met, rests, seats)
            rests.update(resting)
            for line_up in round_:
                met.update(frozenset(pair) for pair in itertools.combinations(line_up, 2))
            number += each * len(round_)
            yield round_

    @property
    def total(self) -> int:
        """Number of games of the whole plan, if nothing ends it early."""
        plan, seats = self.plan, self.plan.game.num_players
        line_ups = 1 if len(plan.agents) == seats else math.comb(len(plan.agents), seats)
        return plan.games * (plan.rounds * (len(plan.agents) // seats) or line_ups)

    def run(self, jobs: int = 1, progress: Callable[[int], None] | None = None, show: ArenaShow | None = None) -> None:
        """Play the missing games.

        Ctrl-C and errors stop the games in play; completed pairings are kept.

        Parameters
        ----------
        jobs : int, optional
            Number of pairings played at once, each in its own process.
        progress : callable, optional
            Called with the number of games played so far.
        show : ArenaShow, optional
            Where the games are shown: they are then played in this process, one after the other.

        Raises
        ------
        ConfigError
            If an agent's name is unknown, an agent cannot be sent to other processes, or if another run uses the
            folder.
        MatchError
            If a worker process was killed.
        OSError
            If a file cannot be written.
        """
        integer("jobs", jobs, 1, system.MAX_WORKERS)
        if show is None:
            for name in self.plan.names:
                if isinstance(name, GivenAgent):
                    name.check_sendable()
        with contextlib.ExitStack() as stack:
            if any(map(is_program, self.plan.names)):  # these must not read this process
                stack.enter_context(system.private_memory())
            if self.folder is not None:
                stack.enter_context(locked(self.folder))
                self._resume(self.folder)  # another run may have played since this one looked
            self._run(jobs, progress, show)

    def _run(self, jobs: int, progress: Callable[[int], None] | None, show: ArenaShow | None) -> None:
        each = self.plan.games // self.plan.each
        number = 0
        others = set(multiprocessing.active_children())
        pool: Executor = (
            ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _ignore_ctrl_c) if show is None else _Here()
        )
        try:
            for line_ups in self._line_ups():
                tasks = []
                for k in range(each):  # all line-ups advance together, so that an early table is fair
                    for line_up in line_ups:
                        tasks.append((number, line_up, stream(self.plan.seed, k) >> 1))
                        number += 1
                self._play(pool, jobs, tasks, progress, show)
                if self.verdict:
                    return
        except BrokenProcessPool:
            raise MatchError("arena: a worker process was killed; what was played is kept") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _end([worker for worker in multiprocessing.active_children() if worker not in others])

    def _play(
        self,
        pool: Executor,
        jobs: int,
        tasks: Sequence[tuple[int, tuple[int, ...], int]],
        progress: Callable[[int], None] | None,
        show: ArenaShow | None,
    ) -> None:
        """Play the missing pairings of a round; `stop_at` is decided on them in order."""
        plan = self.plan
        test = None if plan.stop_at is None else Test(plan.stop_at)
        waiting = [task for task in tasks if task[0] not in self.pairings]
        waiting.reverse()
        at_once = 2 * jobs if show is None else 1
        judged = 0
        running: dict[Future[Any], int] = {}
        while True:
            while test is not None and judged < len(tasks) and tasks[judged][0] in self.pairings:
                games = [game for game in self.pairings[tasks[judged][0]] if game.is_played]
                if games:
                    test.add(sum(game.score(0) for game in games) / len(games))
                judged += 1
                if test.verdict:  # later games that other jobs have played do not count
                    self.verdict = test.verdict
                    self.pairings = {task[0]: self.pairings[task[0]] for task in tasks[:judged]}
                    break
            if progress:
                progress(len(self.pairings) * plan.each)
            if self.verdict:
                return
            while waiting and len(running) < at_once:
                number, line_up, seed = waiting.pop()
                names = [plan.names[agent] for agent in line_up]
                if show:
                    show.announce([plan.names[agent] for agent in waiting[-1][1]] if waiting else [])
                task = (plan.game, names, list(line_up), seed, plan.control, plan.each)
                running[pool.submit(_pairing, show, *task)] = number
            if not running:
                return
            ended, _ = system.wait_for_one(running)
            for future in ended:
                self._keep(running.pop(future), *future.result())

    # -- results --------------------------------------------------------------------------------------

    @property
    def games(self) -> list[PairingGame]:
        """All games so far, in the order of the plan, also those that were not played (`PairingGame.is_played`)."""
        return [one for number in sorted(self.pairings) for one in self.pairings[number]]

    @property
    def played(self) -> list[PairingGame]:
        """The games that were played, in the order of the plan."""
        return [one for one in self.games if one.is_played]

    def standings(self, rated: bool = True) -> Standings:
        """Return the table, the best agent first.

        Parameters
        ----------
        rated : bool, optional
            Whether to compute ratings, which needs the extra `rating` (openskill, choix). With ratings the table is
            sorted by rating, without by score.

        Returns
        -------
        Standings
            A list with one row per agent.

        Raises
        ------
        ExtraError
            If `rated` is true and the extra is not installed.
        """
        plan, games = self.plan, self.played
        rated_agents = ratings([game.outcome for game in games], len(plan.names)) if rated and games else None
        rows = []
        for agent, name in enumerate(plan.labels):
            own_games = [game for game in games if agent in game.seats]
            scores = [game.score(agent) for game in own_games]
            mean, low, high = score_interval(scores) if scores else (0.0, 0.0, 1.0)
            won = sum(set(game.first) == {agent} for game in own_games)
            drawn = sum(agent in game.first for game in own_games) - won
            faults = sum(fault[0] == agent for game in own_games for fault in game.faults)
            missing = sum(agent in game.seats for game in self.games) - len(own_games)
            lost = len(own_games) - won - drawn
            row = Standing(name, len(own_games), mean, low, high, won, drawn, lost, faults, None, missing)
            row.rating = rated_agents[agent] if rated_agents else None
            rows.append(row)
        return Standings(sorted(rows, key=lambda row: -(row.rating.elo if row.rating else row.score)))

    def causes(self) -> list[tuple[str, str, int, list[Any]]]:
        """Return (name, cause, count, an example) for each cause of faults of each agent.

        The example is the first fault with a log, else the first: an entry of `PairingGame.faults`.
        """
        found: dict[tuple[int, str], list[list[Any]]] = {}
        for fault in (fault for one in self.games for fault in one.faults):
            found.setdefault((fault[0], fault[1]), []).append(fault)
        return [
            (self.plan.labels[agent], cause, len(its), next((fault for fault in its if fault[4]), its[0]))
            for (agent, cause), its in sorted(found.items())
        ]

    def cross_table(self) -> list[list[float | None]]:
        """Return the share of the comparisons that each agent won against each other one.

        Returns
        -------
        list of list of float or None
            Entry [a][b] is agent a's share against agent b, 0..1, where a tie counts as half; None if they have not
            met. Agents are in the order of `Tournament.names`.
        """
        table = wins([one.outcome for one in self.played], len(self.plan.names))
        met = table + table.T
        return [
            [float(table[a, b] / met[a, b]) if met[a, b] else None for b in range(len(table))]
            for a in range(len(table))
        ]

    def first_seats(self) -> list[tuple[str, int, int]]:
        """Return for each agent its name, in how many games it had the first seat, and its games."""
        return [
            (name, sum(one.seats[0] == agent for one in self.played), sum(agent in one.seats for one in self.played))
            for agent, name in enumerate(self.plan.labels)
        ]

    def seat_scores(self) -> list[float]:
        """Return the mean score of each seat over all games, 0..1; an empty list before the first game."""
        games = self.played
        if not games:
            return []
        return [
            sum(PairingGame(list(range(len(one.seats))), one.returns, [], 0, None, []).score(seat) for one in games)
            / len(games)
            for seat in range(self.plan.game.num_players)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all results as plain JSON types: the plan, standings, cross table, seat scores and verdict."""
        names, cross = self.plan.labels, self.cross_table()
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


class _Here(Executor):
    """Run each task at once, in this thread."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Return the future of a task that is done."""
        found: Future[Any] = Future()
        found.set_result(function(*arguments, **keywords))
        return found


def _ignore_ctrl_c() -> None:
    """Ignore Ctrl-C in a worker: the terminal sends it to all processes, and the parent handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _from_version_1(line: bytes) -> bytes:
    """Return a line of `games.jsonl` of version 1 as one of today, without its line end."""
    entry = unseal(line, PAIRING_1)
    for one in entry["games"]:
        one["faults"] = [[*fault, one["plies"], ""] for fault in one["faults"]]
    return seal({"pairing": entry["pairing"], "games": entry["games"]}).rstrip(b"\n")


def _end(workers: Sequence[multiprocessing.process.BaseProcess]) -> None:
    """End worker processes: they close their seats, or are killed after ENDING_S."""
    for worker in workers:
        worker.terminate()
    deadline = time.monotonic() + ENDING_S
    for worker in workers:
        worker.join(max(0.0, deadline - time.monotonic()))
        if worker.is_alive():
            worker.kill()


def _pairing(show: ArenaShow | None, *task: Any) -> tuple[list[PairingGame], bytes]:
    """Play a pairing, a game for each rotation of the seats; return the games and their replays as JSON lines."""
    try:
        return asyncio.run(_rotations(show, *task))
    except asyncio.CancelledError:
        if show is not None:
            raise
        os._exit(1)  # the seats are closed; otherwise a pool's worker would go on with the tasks in its queue


async def _rotations(
    show: ArenaShow | None,
    game: Game,
    names: Sequence[str],
    agents: list[int],
    seed: int,
    control: TimeControl,
    each: int,
) -> tuple[list[PairingGame], bytes]:
    game = game.redrawn(seed)
    contestants = [make_seat(name, game) for name in names]
    places = range(len(contestants))
    begins = 0 if each > 1 else (sum(agents) + 1) % len(contestants)  # of two, every second begins
    turns = [(begins + turn) % len(contestants) for turn in range(each)]
    orders = [[*places[turn:], *places[:turn]] for turn in turns]
    this = asyncio.current_task()
    assert this is not None

    labels = [split_name(name)[0] or name for name in names]
    with system.on_terminate(asyncio.get_running_loop(), this.cancel):
        records = await play_pairing(game, contestants, orders, seed, control, show, labels)
    games = [
        PairingGame.of([agents[who] for who in order], record) for order, record in zip(orders, records, strict=True)
    ]
    lines = [line for record in records if record.is_played for line in record.replay.to_lines()]
    return games, "".join(line + "\n" for line in lines).encode()


def replays(folder: str | os.PathLike[str]) -> Iterator[replay.Replay]:
    """Yield the replays in an arena's folder, in the order of the plan.

    Parameters
    ----------
    folder : path-like
        The folder of a run.

    Yields
    ------
    Replay
        Each game, verified by playing it again (`masume.records.replay.load`).

    Raises
    ------
    ReplayError
        If a replay is damaged.
    """
    for path in replay.files_of(Path(folder)):
        yield from replay.load(path)
