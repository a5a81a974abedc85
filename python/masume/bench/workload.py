"""Data of the benches of a game: its Workload, the Midgame that it recorded, and the Cases that work on it.

A game with benches has in its package `bench.py`, with its WORKLOAD, its GROWTH and `cases()`, the cases that only
this game has, and the recorded play, `midgame.npz`.

Branch predictors learn positions that repeat. So a Midgame has further sets of as many positions, which are played from
seeds when they are first needed, and most cases are timed over all of these, each position once in a round.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..batch import Batch
from ..core import registry
from ..core._playout import record
from ..core._state import State
from ..core.rng import Rng, stream
from ..game import Game, load
from . import _loops

SLOW = 8  # number of positions for a reference
SETS = 16  # sets of positions in addition to the recorded one
GAMES, POSITIONS = 32, 32  # recorded games; positions of a game
LINE_UP = 16  # games in a row by the same policies

Positions: TypeAlias = list[tuple[State, Any]]
"""A State of each position, and the action played there."""


@dataclasses.dataclass(frozen=True)
class Gate:
    """Target of a row: at most `bound` (`portable` without AVX2), or at least that."""

    bound: float
    portable: float | None = None
    at_least: bool = False

    def limit(self, level: str) -> float:
        """Return the bound at a CPU level."""
        return self.portable if level in ("v2", "neon") and self.portable is not None else self.bound

    def accepts(self, value: float, level: str) -> bool:
        """Return whether the value meets the bound."""
        return value >= self.limit(level) if self.at_least else value <= self.limit(level)


@dataclasses.dataclass(frozen=True)
class Workload:
    """Subject of the benches of a game.

    title : description of the positions. checksum : result of `masume doctor` on the default config. fields : config
    of the recorded play, which is `midgame.npz` in the game's package: seeds uint64[games], actions [games, plies,
    slots]. first : positions from this ply on are used. playouts : {name: config} of whole random games; the last
    one is small enough for the reference. gates : targets by the name of the row. opening : number of plies in which
    the game is set up; no position of them is used in games that are too short for `first`.
    """

    title: str
    checksum: int
    fields: Mapping[str, Any]
    first: int
    playouts: Mapping[str, Mapping[str, Any]]
    gates: Mapping[str, Gate]
    opening: int = 0


def workloads() -> dict[str, Workload]:
    """Return the workload of each game, by its name."""
    return {name: part.WORKLOAD for name, part in registry.parts("bench").items()}


@dataclasses.dataclass(frozen=True)
class Growth:
    """Growth of a game's boards: `fields` makes config fields from two numbers or words, of a row and a column."""

    row: str
    rows: tuple[Any, ...]
    column: str
    columns: tuple[Any, ...]
    fields: Callable[[Any, Any], Mapping[str, Any]]


class Midgame:
    """Positions of play, and the actions played there; neighbours in the list belong to different games.

    One set of positions is chosen at a time. Set 0 is recorded: `num_games` games between all agents; position i is of
    game i % num_games, whose next position is i + num_games. The others, numbered from 1 to `sets`, are from recorded
    games beyond the first 32, if there are any, and from games of the table's policies, "random" included, in all
    seats; no position occurs twice in them.

    states : State of each position. actions : as `State.apply` takes them. codes : int32[n, slots], as a batch takes
    them. Only the items of these three change when another set is chosen. chosen : number of the set. picked : indices
    of the positions for the reference. seed : seed of all random numbers.
    """

    def __init__(self, name: str, seed: int = 0, sets: int = SETS) -> None:
        self.workload = workloads()[name]
        self.game: Game = load(name, **self.workload.fields)
        self.seed = seed
        self._num_others = sets
        with np.load(Path(str(registry.package_of(name).__file__)).with_name("midgame.npz")) as recorded:
            self._recorded = list(zip(recorded["seeds"].tolist(), recorded["actions"], strict=True))
        games = [self._positions(start, played) for start, played in self._recorded[:GAMES]]
        self._first = [position for ply in zip(*games, strict=True) for position in ply]
        self.states = [state for state, _ in self._first]
        self.actions = [action for _, action in self._first]
        self.codes = np.array([self._codes(*position) for position in self._first], np.int32)
        self.num_games = len(games)
        self.picked = range(0, len(self), len(self) // SLOW + 1)
        self.chosen = 0
        self._after: Callable[[], bytes] = self.each(self._play_on)
        self._slow: Callable[[], list[Any]] = self.each(self._in_reference)

    def _positions(self, start: int, played: NDArray[Any]) -> Positions:
        """Return the positions of a game that are used: POSITIONS from ply `first` on, or its last ones."""
        state = self.game.new_state(start)
        begin = max(self.workload.opening, min(self.workload.first, len(played) - POSITIONS))
        found: Positions = []
        for ply, row in enumerate(played[: begin + POSITIONS]):
            action = row.astype(np.int32) if self.game.num_slots > 1 else int(row[0])
            if ply >= begin:
                found.append((state.clone(), action))
            state.apply(action)
        return found

    def _codes(self, state: State, action: Any) -> list[int]:
        return [state.encode(int(one)) for one in np.atleast_1d(action)]

    def _games(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the seed and the actions of other games than those of set 0, without end."""
        yield from self._recorded[GAMES:]
        line_ups = itertools.product(range(len(self.game.policies)), repeat=self.game.num_players)
        for number, policies in enumerate(itertools.cycle(line_ups)):
            seeds = [stream(self.seed, LINE_UP * number + k) >> 1 for k in range(LINE_UP)]
            games = record(self.game, np.array(seeds, np.uint64), np.array(policies, np.int32))
            yield from zip(seeds, np.split(games["actions"], np.cumsum(games["length"])[:-1]), strict=True)

    @functools.cached_property
    def _sets(self) -> list[Positions]:
        """Return all sets; those after the first share no position."""
        found: dict[int, tuple[State, Any]] = {}
        games, wanted = self._games(), self._num_others * len(self)
        while len(found) < wanted:
            for state, action in self._positions(*next(games)):
                found.setdefault(state.key, (state, action))
        positions, rng = list(found.values())[:wanted], Rng(stream(self.seed, wanted))
        for k in range(wanted - 1, 0, -1):
            other = rng.below(k + 1)
            positions[k], positions[other] = positions[other], positions[k]
        return [self._first, *(positions[k : k + len(self)] for k in range(0, wanted, len(self)))]

    def choose(self, number: int) -> None:
        """Make the positions those of a set."""
        if number == self.chosen:
            return
        self.states[:] = [state for state, _ in self._sets[number]]
        self.actions[:] = [action for _, action in self._sets[number]]
        self.codes[:] = self._codes_of_sets[number]
        self.chosen = number

    @functools.cached_property
    def _codes_of_sets(self) -> NDArray[np.int32]:
        """Return the codes of all sets, [sets, n, slots]."""
        return np.array([[self._codes(*position) for position in positions] for positions in self._sets], np.int32)

    def each(self, make: Callable[[], Any]) -> Callable[[], Any]:
        """Return a function that returns what `make` returns for the chosen set, and calls it once for each set."""
        made: dict[int, Any] = {}

        def get() -> Any:
            if self.chosen not in made:
                made[self.chosen] = make()
            return made[self.chosen]

        return get

    def __len__(self) -> int:
        return len(self.states)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield (state, action) of each position."""
        return zip(self.states, self.actions, strict=True)

    def batch(self, **options: Any) -> Batch:
        """Return the positions in a batch, actions set.

        It has no masks and observations unless `options` request them, and begins no game after one that ends.
        """
        bare = {"observe": None, "masks": False, "autoreset": "disabled"}
        batch = Batch(self.game, len(self), **(bare | options))
        batch.actions[:] = self.codes
        _loops.load(batch, self.states)
        return batch

    @property
    def after(self) -> bytes:
        """Return the bytes of all positions one ply later, concatenated."""
        return self._after()

    def _play_on(self) -> bytes:
        states = [state.clone() for state in self.states]
        for state, action in zip(states, self.actions, strict=True):
            state.apply(action)
        return b"".join(state.array.tobytes() for state in states)

    def _in_reference(self) -> list[Any]:
        return [self.in_reference(self.states[i]) for i in self.picked]

    @property
    def twin(self) -> Any:
        """State class of the reference."""
        module = self.game.reference
        assert module is not None
        return module.State

    @property
    def slow(self) -> list[Any]:
        """Return the picked positions as states of the reference."""
        return self._slow()

    def in_reference(self, state: Any) -> Any:
        """Return the reference's state of the same position, with the same history if players remember one."""
        begun = state if state.history is None else self.game.state_from_bytes(state.origin, without_memory=True)
        variables = begun.to_dict()
        if "config" in variables:
            return self.twin.from_dict(variables)
        twin = self.twin.from_dict(self.game.config, variables)
        for action in state.history or ():
            twin.apply(action)
        return twin

    @property
    def num_views(self) -> int:
        """Number of players whose view of each position an observed batch contains."""
        return self.game.num_players if self.game.is_simultaneous else 1

    @functools.cached_property
    def num_slots(self) -> int:
        """Number of slots of all positions together."""
        return sum(len(state.slots) for state in self.states)


@dataclasses.dataclass(frozen=True)
class Work:
    """Prepared case.

    run : does `units` units. check : raises AssertionError unless what `run` did is right. before : preparation
    before each `run`, not timed. threaded : whether other threads do a part of the work. choose : chooses the set of
    positions that the next `before` and `run` work on (Midgame.choose); None: the work is the same for all sets.
    """

    run: Callable[[], object]
    units: int
    check: Callable[[], None]
    before: Callable[[], None] = lambda: None
    threaded: bool = False
    choose: Callable[[int], None] | None = None


@dataclasses.dataclass(frozen=True)
class Case:
    """Case of the benches.

    name : "operation/way". subject : the file of benches/ that contains it. counted : whether the instruction gate
    counts it. game : the only game that has it, None: all games. floor : the case of which its time is shown as a
    multiple, None: the one of the same operation that is named "floor".
    """

    name: str
    unit: str
    subject: str
    make: Callable[[Midgame], Work]
    counted: bool = False
    game: str | None = None
    floor: str | None = None

    @property
    def operation(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    def ready(self, play: Midgame) -> Work:
        """Return the work, after running and checking it once, on two sets if it depends on the set."""
        work = self.make(play)
        for number in range(1 if work.choose is None else 2):
            play.choose(number)
            work.before()
            work.run()
            work.check()
        play.choose(0)
        return work


def same(slow: Any, fast: Any) -> bool:
    """Return whether the reference's answer equals the engine's: states, arrays, dicts of arrays."""
    if isinstance(fast, dict):
        return slow.keys() == fast.keys() and all(same(slow[name], fast[name]) for name in fast)
    if isinstance(fast, State):
        return bool(slow.to_dict() == fast.to_dict())
    return np.array_equal(np.asarray(slow, fast.dtype), fast)
