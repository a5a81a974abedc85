"""What the benches of a game are about: a game's Workload, the Midgame it recorded, and the Cases that work on it.

A game that has benches has `bench.py` in its package, with its WORKLOAD, its GROWTH and `cases()`, the cases that no
other game has, and `midgame.npz` beside it, the recorded play.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..batch import Batch
from ..core import registry
from ..core._state import State
from ..game import Game, load
from . import _loops

SLOW = 8  # positions that a reference works on


@dataclasses.dataclass(frozen=True)
class Gate:
    """The value aimed at of a row: no more than `bound` (`portable` without AVX2), or no less."""

    bound: float
    portable: float | None = None
    at_least: bool = False

    def limit(self, level: str) -> float:
        """The bound at a CPU level."""
        return self.portable if level in ("v2", "neon") and self.portable is not None else self.bound

    def accepts(self, value: float, level: str) -> bool:
        """Whether the value reaches it."""
        return value >= self.limit(level) if self.at_least else value <= self.limit(level)


@dataclasses.dataclass(frozen=True)
class Workload:
    """What the benches of a game are about.

    title : the positions, for people. checksum : what `masume doctor` finds on the default config. fields : the config
    of the recorded play, which is `midgame.npz` in the game's package: seeds uint64[games], actions [games, plies,
    slots]. first : the ply from which on a position counts. playouts : {name: config} of whole random games; the last
    one is small enough for the reference. gates : by the name of the row.
    """

    title: str
    checksum: int
    fields: Mapping[str, Any]
    first: int
    playouts: Mapping[str, Mapping[str, Any]]
    gates: Mapping[str, Gate]


def workloads() -> dict[str, Workload]:
    """Return what the bench of each game works on, by its name."""
    return {name: part.WORKLOAD for name, part in registry.parts("bench").items()}


@dataclasses.dataclass(frozen=True)
class Growth:
    """How the boards of a game grow: its `fields` are made of two numbers or words, those of a row and of a column."""

    row: str
    rows: tuple[Any, ...]
    column: str
    columns: tuple[Any, ...]
    fields: Callable[[Any, Any], Mapping[str, Any]]


class Midgame:
    """Positions of recorded play, neighbours in the list being of different games, and what was played there.

    num_games : how many were recorded; position i is of game i % num_games, whose next one is i + num_games.
    states : State of each position. actions : what `State.apply` takes. codes : int32[n, slots], what a batch
    takes. picked : the places of the positions that the reference works on. seed : of all that is random.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.workload = workloads()[name]
        self.game: Game = load(name, **self.workload.fields)
        self.seed = seed
        with np.load(Path(str(registry.package_of(name).__file__)).with_name("midgame.npz")) as recorded:
            seeds, played = recorded["seeds"], recorded["actions"]
        self.num_games = len(seeds)
        games = [self.game.new_state(int(start)) for start in seeds]
        self.states: list[Any] = []
        self.actions: list[Any] = []
        for ply in range(played.shape[1]):
            for state, row in zip(games, played[:, ply], strict=True):
                action = row.astype(np.int32) if self.game.num_slots > 1 else int(row[0])
                if ply >= self.workload.first:
                    self.states.append(state.clone())
                    self.actions.append(action)
                state.apply(action)
        self.codes = np.array(
            [[state.encode(int(a)) for a in np.atleast_1d(action)] for state, action in self.pairs()], np.int32
        )
        self.picked = range(0, len(self), len(self) // SLOW + 1)

    def __len__(self) -> int:
        return len(self.states)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """(state, action) of each position."""
        return zip(self.states, self.actions, strict=True)

    def batch(self, **options: Any) -> Batch:
        """The positions in a batch, their actions ready; no masks or observations unless `options` say so."""
        batch = Batch(self.game, len(self), **({"observe": None, "masks": False} | options))
        batch.actions[:] = self.codes
        _loops.load(batch, self.states)
        return batch

    @functools.cached_property
    def after(self) -> bytes:
        """The bytes of all positions a ply later, one after the other."""
        states = [state.clone() for state in self.states]
        for state, action in zip(states, self.actions, strict=True):
            state.apply(action)
        return b"".join(state.array.tobytes() for state in states)

    @property
    def twin(self) -> Any:
        """State of the reference."""
        module = self.game.reference
        assert module is not None
        return module.State

    @functools.cached_property
    def slow(self) -> list[Any]:
        """The picked positions as states of the reference."""
        return [self.in_reference(self.states[i]) for i in self.picked]

    def in_reference(self, state: Any) -> Any:
        """The reference's state of the same position, with the same past where players remember one."""
        variables = state.to_dict() if state.history is None else self.game.state_from_bytes(state.origin).to_dict()
        if "config" in variables:
            return self.twin.from_dict(variables)
        twin = self.twin.from_dict(self.game.config, variables)
        for action in state.history or ():
            twin.apply(action)
        return twin

    @property
    def num_views(self) -> int:
        """How many players see each position when a batch is observed."""
        return self.game.num_players if self.game.is_simultaneous else 1

    @functools.cached_property
    def num_slots(self) -> int:
        """Slots of all positions together."""
        return sum(len(state.slots) for state in self.states)


@dataclasses.dataclass(frozen=True)
class Work:
    """A case made ready.

    run : does `units` units. check : AssertionError unless what `run` did is right. before : what has to be
    done each time before `run`, off the clock. threaded : whether other threads do a part of it.
    """

    run: Callable[[], object]
    units: int
    check: Callable[[], None]
    before: Callable[[], None] = lambda: None
    threaded: bool = False


@dataclasses.dataclass(frozen=True)
class Case:
    """name : "operation/way". subject : the file of benches/ it stands in. counted : by the instruction gate.

    game : the only game that has it, None: all have.
    """

    name: str
    unit: str
    subject: str
    make: Callable[[Midgame], Work]
    counted: bool = False
    game: str | None = None

    @property
    def operation(self) -> str:
        """What stands before the slash."""
        return self.name.partition("/")[0]

    def ready(self, play: Midgame) -> Work:
        """The work, done once and checked."""
        work = self.make(play)
        work.before()
        work.run()
        work.check()
        return work


def same(slow: Any, fast: Any) -> bool:
    """Whether the reference's answer is the engine's: states, arrays, dicts of arrays."""
    if isinstance(fast, dict):
        return slow.keys() == fast.keys() and all(same(slow[name], fast[name]) for name in fast)
    if isinstance(fast, State):
        return bool(slow.to_dict() == fast.to_dict())
    return np.array_equal(np.asarray(slow, fast.dtype), fast)
