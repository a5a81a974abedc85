"""The workloads: what `masume bench` times, benches/ measures and the instruction gate counts.

A Case is one way to do one operation: "turn/batch" is a turn, played in a batch. What stands before the slash
is the operation; its cases count the same unit, and "/reference", where there is one, is the slow twin. All
work on the same recorded play (Midgame) and have their answers checked before anything is measured.

Times are medians over rounds in which every case runs once, so that whatever else the machine does hits all
alike; ratios and differences are taken within a round.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from . import _bench
from ._kakomimasu import levels
from ._state import State
from .batch import Batch
from .errors import ConfigError
from .game import Game, load
from .rng import Rng, stream
from .search.mcts import MCTS, Result

ROUNDS = 25
PLAYOUTS = 64  # games of a playout case
SIMULATIONS = 256  # of a search case
CALLS = 1000  # of what is too short to time alone
SLOW = 8  # positions that a reference works on


# -- what a game brings -------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Gate:
    """The worst value accepted of a row: no more than `bound` (`portable` without AVX2), or no less."""

    bound: float
    portable: float | None = None
    at_least: bool = False

    def limit(self, level: str) -> float:
        """The bound at a CPU level."""
        return self.portable if level == "v2" and self.portable is not None else self.bound

    def accepts(self, value: float, level: str) -> bool:
        """Whether the value is good enough."""
        return value >= self.limit(level) if self.at_least else value <= self.limit(level)


@dataclasses.dataclass(frozen=True)
class Workload:
    """What the benches of a game are about.

    title : the positions, for people. fields : the config of the recorded play, which is `midgame.npz` in the
    game's package: seeds uint64[games], actions [games, plies, slots]. first : the ply from which on a position
    counts. playouts : {name: config} of whole random games; the last one is small enough for the reference.
    gates : by the name of the row.
    """

    title: str
    fields: Mapping[str, Any]
    first: int
    playouts: Mapping[str, Mapping[str, Any]]
    gates: Mapping[str, Gate]


WORKLOADS: dict[str, Workload] = {
    "battleship": Workload(
        title="5x5, decisions 25 to 56 of games between all agents that last so long",
        fields={},
        first=24,
        playouts={"5x5": {}, "3x3": {"width": 3, "height": 3, "fleets": ["DS"], "fp_base": 40}},
        gates={
            "turn/batch": Gate(200),
            "turn/state": Gate(2000),  # what its players have seen, and the events, are written too
            "mask/table": Gate(300),
            "call/batch": Gate(600),
            "resample/state": Gate(200_000),
            "playout 5x5/batch": Gate(250 * 40),  # 4 M commands/s, 39 in a game
            "state": Gate(1024),
        },
    ),
    "chaser": Workload(
        title="15x17, methods 25 to 56 of games between all agents that last so long",
        fields={},
        first=24,
        playouts={"15x17": {}, "5x5": {"height": 5, "width": 5, "n_blocks": 2, "n_items": 3, "turn_limit": 10}},
        gates={
            "turn/batch": Gate(80),
            "turn/state": Gate(1000),  # its 1024 memories of 19 KB are in no cache
            "turn/state, warm": Gate(150),
            "call/batch": Gate(600),
            "resample/state": Gate(20_000),
            "playout 15x17/batch": Gate(1600),  # 10 M methods/s, 16 in a game
            "state": Gate(192),
        },
    ),
    "kakomimasu": Workload(
        title="24x24, 14+14 agents, turns 25 to 56 of games between all agents",
        fields={"width": 24, "height": 24, "n_agents": 14, "seed": 1},
        first=24,
        playouts={
            "24x24": {"width": 24, "height": 24, "n_agents": 14, "total_turns": 60},
            "8x8": {"width": 8, "height": 8, "n_agents": 6, "total_turns": 30},
        },
        gates={
            "enclosure/table": Gate(400, portable=600),
            "turn/batch": Gate(900, portable=1200),
            "turn/state": Gate(1000),
            "clone/state": Gate(200),
            "call/batch": Gate(600),
            "playout 24x24/batch": Gate(1e9 / 15_000),
            "search 24x24/mcts": Gate(1e9 / 12_000),
            "search 8x8/mcts": Gate(1e9 / 50_000),
            "batch beyond the turn": Gate(30),
            "two threads": Gate(1.7, at_least=True),
            "state": Gate(1024),
        },
    ),
    "nezumi": Workload(
        title="granary (12x15, 10 mice), actions 65 to 96 of games between all agents",
        fields={"stage": "granary"},
        first=64,
        playouts={"granary": {"stage": "granary"}, "garden": {"stage": "garden"}},
        gates={
            "turn/batch": Gate(40),
            "round/batch": Gate(300),
            "call/batch": Gate(600),
            "playout garden/batch": Gate(14 * 125),  # 8 M turns/s, 14 in a game
            "state": Gate(128),
        },
    ),
    "terraforming": Workload(
        title="radius 6, actions 569 to 600 of games between all agents; a turn is one action",
        fields={},
        first=568,
        playouts={"radius 6": {"max_turns": 40}, "radius 2": {"radius": 2, "max_turns": 8}},
        gates={
            "turn/batch": Gate(400),
            "turn/state": Gate(600),
            "mask/table": Gate(600),
            "clone/state": Gate(500),
            "call/batch": Gate(600),
            "playout radius 6/batch": Gate(425_000),  # 5 M actions/s, 2126 in a game
            "state": Gate(1536),
        },
    ),
}


class Midgame:
    """Positions of recorded play, neighbours in the list being of different games, and what was played there.

    states : State of each position. actions : what `State.apply` takes. codes : int32[n, slots], what a batch
    takes. picked : the places of the positions that the reference works on. seed : of all that is random.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.workload = WORKLOADS[name]
        self.game: Game = load(name, **self.workload.fields)
        self.seed = seed
        with np.load(Path(__file__).with_name(name) / "midgame.npz") as recorded:
            seeds, played = recorded["seeds"], recorded["actions"]
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
        _bench.load(batch, self.states)
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


# -- cases --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Work:
    """A case made ready.

    run : does `units` units. check : AssertionError unless what `run` did is right. before : what has to be
    done each time before `run`, off the clock.
    """

    run: Callable[[], object]
    units: int
    check: Callable[[], None]
    before: Callable[[], None] = lambda: None


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


CASES: list[Case] = []


def case(
    name: str, unit: str, subject: str, counted: bool = False, game: str | None = None
) -> Callable[[Callable[[Midgame], Work]], Callable[[Midgame], Work]]:
    """Make the function, which makes the Work, the case of this name."""

    def register(make: Callable[[Midgame], Work]) -> Callable[[Midgame], Work]:
        CASES.append(Case(name, unit, subject, make, counted, game))
        return make

    return register


def cases(name: str) -> list[Case]:
    """The cases of a game, the same operation's together."""
    workload = WORKLOADS[name]
    found = [entry for entry in CASES if entry.game in (None, name)]
    for field in load(name, **workload.fields).observation_spec:
        make = functools.partial(_observation_table, field=field)
        found.append(Case(f"observation {field}/table", "view", "rules", make, counted=True))
    for title in workload.playouts:
        make = functools.partial(_playout_batch, title=title)
        found.append(Case(f"playout {title}/batch", "playout", "playout", make, counted=True))
        make = functools.partial(_search_mcts, title=title)
        found.append(Case(f"search {title}/mcts", "simulation", "search", make, counted=True))
    *_, small = workload.playouts
    make = functools.partial(_playout_reference, title=small)
    found.append(Case(f"playout {small}/reference", "playout", "playout", make))
    return found


def _slowly(play: Midgame, ask: Callable[[Any], Any]) -> Work:
    """`ask(state)` of the reference; it must be what the engine answers."""

    def run() -> None:
        for state in play.slow:
            ask(state)

    def check() -> None:
        for i, state in zip(play.picked, play.slow, strict=True):
            assert _same(ask(state), ask(play.states[i]))

    return Work(run, len(play.slow), check)


def _same(slow: Any, fast: Any) -> bool:
    """Whether the reference's answer is the engine's: states, arrays, dicts of arrays."""
    if isinstance(fast, dict):
        return slow.keys() == fast.keys() and all(_same(slow[name], fast[name]) for name in fast)
    if isinstance(fast, State):
        return bool(slow.to_dict() == fast.to_dict())
    return np.array_equal(np.asarray(slow, fast.dtype), fast)


# a turn


def _turn(play: Midgame, batch: Batch, run: Callable[[], object]) -> Work:
    def check() -> None:
        assert batch.states.tobytes() == play.after

    return Work(run, len(play), check, functools.partial(_bench.load, batch, play.states))


def _turn_in_batch(play: Midgame, **options: Any) -> Work:
    batch = play.batch(**options)
    return _turn(play, batch, batch.step)


@case("turn/table", "turn", "rules", counted=True)
def _turn_table(play: Midgame) -> Work:
    batch = play.batch()
    return _turn(play, batch, functools.partial(_bench.apply, batch))


@case("turn/batch", "turn", "batch", counted=True)
def _turn_batch(play: Midgame) -> Work:
    return _turn_in_batch(play)


@case("turn/batch, 2 threads", "turn", "batch")
def _turn_batch_threads(play: Midgame) -> Work:
    batch = play.batch(threads=2)
    work = _turn(play, batch, batch.step)

    def before() -> None:
        work.before()
        batch.sample_actions()  # wakes the other thread, as the step before does in a loop
        batch.actions[:] = play.codes

    return dataclasses.replace(work, before=before)


@case("turn/batch, packed", "turn", "batch", game="kakomimasu")
def _turn_batch_packed(play: Midgame) -> Work:
    return _turn_in_batch(play, observe=("packed",), masks="packed")


@case("turn/batch, default", "turn", "batch")
def _turn_batch_default(play: Midgame) -> Work:
    return _turn_in_batch(play, observe=("planes", "scalars"), masks=True)


@case("turn/state", "turn", "state", counted=True)
def _turn_state(play: Midgame) -> Work:
    states = [state.clone() for state in play.states]

    def before() -> None:
        for state, original in zip(states, play.states, strict=True):
            state.copy_from(original)

    def run() -> None:
        for state, action in zip(states, play.actions, strict=True):
            state.apply(action)

    def check() -> None:
        assert b"".join(state.array.tobytes() for state in states) == play.after

    return Work(run, len(play), check, before)


@case("turn/state, warm", "turn", "state", counted=True, game="chaser")
def _turn_state_warm(play: Midgame) -> Work:
    """Looks and searches of both players, in one game."""
    state: Any = play.game.new_state()
    start = play.states[0]
    actions = [4 + k % 8 for k in range(160)]

    def run() -> None:
        for action in actions:
            state.apply(action)

    def check() -> None:
        assert _same(play.in_reference(state), state)
        assert state.history == start.history + actions

    return Work(run, len(actions), check, functools.partial(state.copy_from, start))


ROUNDS_STAGE = "\n".join(
    ["nezumi-stage 1", "name: rounds", "max_mice: 16", "require: 16", "turns: 9999", "map:"]
    + 2 * ["Z" * 12] + 8 * ["." * 12] + ["#####.######", "#####C######", ""]
)  # fmt: skip
"""A field for 16 mice, and a cat that cannot be surrounded."""


@case("round/batch", "round", "batch", counted=True, game="nezumi")
def _round_batch(play: Midgame) -> Work:
    """Turns of 16 mice that move at random and of a cat that passes."""
    batch = Batch(load("nezumi", stage=ROUNDS_STAGE), 256, seed=play.seed, observe=None, masks=False)
    game: Any = batch.game
    played = []
    begun: list[Any] = []
    for step in range(300):
        if step == 200:
            begun = [game.state_from_bytes(row.tobytes()) for row in batch.states]
        batch.sample_actions()
        batch.actions[batch.current_player == 0] = game.num_actions - 6
        if step >= 200:
            played.append(batch.actions.copy())
        batch.step()
    after = batch.states.tobytes()
    rounds = int(batch.states["turn"].sum()) - sum(state.turn for state in begun)

    def run() -> None:
        for actions in played:
            batch.step(actions)

    def check() -> None:
        assert batch.states.tobytes() == after
        assert batch.states["on_board"].mean() > 15

    return Work(run, rounds, check, functools.partial(_bench.load, batch, begun))


@case("turn/reference", "turn", "rules")
def _turn_reference(play: Midgame) -> Work:
    states: list[Any] = []
    actions = [np.asarray(play.actions[i]).tolist() for i in play.picked]

    def before() -> None:
        states[:] = [state.clone() for state in play.slow]

    def run() -> None:
        for state, action in zip(states, actions, strict=True):
            state.apply(action)

    def check() -> None:
        for i, state in zip(play.picked, states, strict=True):
            engine = play.states[i].clone()
            engine.apply(play.actions[i])
            assert _same(state, engine)

    return Work(run, len(play.slow), check, before)


@case("call/batch", "call", "batch")
def _call_batch(play: Midgame) -> Work:
    """A step that has nothing to do: the only game is over and stays so."""
    batch = Batch(play.game, 1, observe=None, masks=False, autoreset="disabled")
    batch.playout()

    def run() -> None:
        for _ in range(CALLS):
            batch.step()

    def check() -> None:
        assert batch.terminated.all()
        assert batch.current_player.tolist() == [-2]

    return Work(run, CALLS, check)


# territory


def _unmarked(play: Midgame) -> list[Any]:
    """The positions without territory, so that all that is enclosed has to be found again."""
    states = []
    for state in play.states:
        variables = state.to_dict()
        states.append(play.game.state_from_dict(variables | {"area": [-1] * len(variables["area"])}))
    return states


@case("enclosure/table", "position", "rules", counted=True, game="kakomimasu")
def _enclosure_table(play: Midgame) -> Work:
    batch = play.batch()
    states = _unmarked(play)

    def check() -> None:
        for i in play.picked:
            twin = play.in_reference(states[i])
            twin._mark_territory()
            assert _same(twin, play.game.state_from_bytes(batch.states[i].tobytes()))

    return Work(
        functools.partial(_bench.enclosure, batch), len(play), check, functools.partial(_bench.load, batch, states)
    )


@case("enclosure/reference", "position", "rules", game="kakomimasu")
def _enclosure_reference(play: Midgame) -> Work:
    def run() -> None:
        for state in play.slow:
            state._mark_territory()

    def check() -> None:  # play has marked it already: nothing may change
        for i, state in zip(play.picked, play.slow, strict=True):
            assert _same(state, play.states[i])

    return Work(run, len(play.slow), check)


# masks and legal actions


def _slots(play: Midgame) -> list[tuple[Any, int]]:
    """(state, slot): one slot of each position, each in turn."""
    return [(state, i % len(state.slots)) for i, state in enumerate(play.states)]


@case("mask/table", "slot", "rules", counted=True)
def _mask_table(play: Midgame) -> Work:
    batch = play.batch(masks=True)
    masks = batch.masks
    assert masks is not None
    masks[:] = 2

    def check() -> None:
        for i, twin in zip(play.picked, play.slow, strict=True):
            assert masks[i].tolist() == [twin.legal_mask(slot) for slot in range(len(twin.slots))]

    return Work(functools.partial(_bench.mask, batch), play.num_slots, check)


@case("mask/table, packed", "slot", "rules", counted=True)
def _mask_bits_table(play: Midgame) -> Work:
    batch = play.batch(masks="packed")
    masks = batch.masks_packed
    assert masks is not None
    masks[:] = 0

    def check() -> None:
        bits = np.unpackbits(masks.view(np.uint8), axis=-1, count=play.game.num_actions, bitorder="little")
        for i, state in enumerate(play.states):
            for slot in range(len(state.slots)):
                assert np.array_equal(bits[i, slot], state.legal_mask(slot))

    return Work(functools.partial(_bench.mask_bits, batch), play.num_slots, check)


@case("mask/state", "slot", "state", counted=True)
def _mask_state(play: Midgame) -> Work:
    out = np.full(play.game.num_actions, 2, np.uint8)
    slots = _slots(play)

    def run() -> None:
        for state, slot in slots:
            state.legal_mask(slot, out)

    def check() -> None:
        state, slot = slots[-1]
        assert out.max() == 1
        assert np.flatnonzero(out).tolist() == [state.encode(int(action)) for action in state.legal_actions(slot)]

    return Work(run, len(play), check)


@case("mask/reference", "slot", "rules")
def _mask_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.legal_mask(0))


@case("legal/table", "slot", "rules", counted=True)
def _legal_table(play: Midgame) -> Work:
    batch = play.batch()

    def check() -> None:
        listed = sum(len(state.legal_actions(slot)) for state in play.states for slot in range(len(state.slots)))
        assert _bench.legal(batch) == listed

    return Work(functools.partial(_bench.legal, batch), play.num_slots, check)


@case("legal/state", "slot", "state", counted=True)
def _legal_state(play: Midgame) -> Work:
    slots = _slots(play)
    last: Any = None

    def run() -> None:
        nonlocal last
        for state, slot in slots:
            last = state.legal_actions(slot)

    def check() -> None:
        state, slot = slots[-1]
        assert np.array_equal(last, state.legal_actions(slot))
        for i, twin in zip(play.picked, play.slow, strict=True):
            state, slot = slots[i]
            assert state.legal_actions(slot).tolist() == twin.legal_actions(slot)

    return Work(run, len(play), check)


@case("legal/reference", "slot", "rules")
def _legal_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.legal_actions(0))


# views


def _observation_table(play: Midgame, field: str) -> Work:
    batch = play.batch(observe=(field,))
    rows = batch.observations[field].reshape(len(play), play.num_views, *play.game.observation_spec[field][0])
    rows[:] = 77

    def check() -> None:
        for i, state in enumerate(play.states):
            for player in range(play.num_views):
                assert np.array_equal(rows[i, player], state.observation(player)[field])

    return Work(functools.partial(_bench.observe, batch), len(play) * play.num_views, check)


@case("view/state", "view", "state", counted=True)
def _view_state(play: Midgame) -> Work:
    """All fields of an observation."""
    spec = play.game.observation_spec
    out = {field: np.empty(shape, dtype) for field, (shape, dtype) in spec.items()}

    def run() -> None:
        for state in play.states:
            state.observation(0, out)

    def check() -> None:
        assert _same(play.in_reference(play.states[-1]).observation(0), out)

    return Work(run, len(play), check)


@case("view/reference", "view", "rules")
def _view_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.observation(0))


@case("resample/state", "position", "state", game="battleship")
@case("resample/state", "position", "state", game="chaser")
def _resample_state(play: Midgame) -> Work:
    """A sample for the player to move."""
    movers = [(state, state.current_player) for state in play.states]

    def run() -> None:
        for seed, (state, player) in enumerate(movers):
            state.resample(player, seed)

    def check() -> None:
        for i, twin in zip(play.picked, play.slow, strict=True):
            state, player = movers[i]
            assert twin.contradictions(player, state.resample(player, i).to_dict()) == []

    return Work(run, len(play), check)


# what keeps and moves positions


@case("key/table", "position", "rules", counted=True)
def _key_table(play: Midgame) -> Work:
    batch = play.batch()

    def check() -> None:
        mixed = 0
        for state in play.states:
            mixed ^= state.key
        assert _bench.key(batch) == mixed
        assert len({state.key for state in play.states}) == len(play)

    return Work(functools.partial(_bench.key, batch), len(play), check)


@case("key/state", "position", "state", counted=True)
def _key_state(play: Midgame) -> Work:
    last: Any = None

    def run() -> None:
        nonlocal last
        for state in play.states:
            last = state.key

    def check() -> None:
        assert last == play.states[-1].key
        for state in play.states:
            assert play.game.state_from_bytes(state.to_bytes()).key == state.key

    return Work(run, len(play), check)


@case("clone/state", "position", "state", counted=True)
def _clone_state(play: Midgame) -> Work:
    last: Any = None

    def run() -> None:
        nonlocal last
        for state in play.states:
            last = state.clone()

    def check() -> None:
        assert last is not None
        assert last.to_bytes() == play.states[-1].to_bytes()

    return Work(run, len(play), check)


@case("clone/reference", "position", "rules")
def _clone_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.clone())


@case("copy_from/state", "position", "state", counted=True)
def _copy_from_state(play: Midgame) -> Work:
    other = play.game.new_state()

    def run() -> None:
        for state in play.states:
            other.copy_from(state)

    def check() -> None:
        assert other.to_bytes() == play.states[-1].to_bytes()

    return Work(run, len(play), check)


@case("new_state/state", "position", "state", counted=True)
def _new_state(play: Midgame) -> Work:
    new_state = play.game.new_state
    last: Any = None

    def run() -> None:
        nonlocal last
        for _ in range(CALLS):
            last = new_state()

    def check() -> None:
        assert last is not None
        assert _same(play.twin.new(play.game.config), last)

    return Work(run, CALLS, check)


@case("new_state/reference", "position", "rules")
def _new_reference(play: Midgame) -> Work:
    last: list[Any] = []

    def run() -> None:
        last[:] = [play.twin.new(play.game.config) for _ in play.slow]

    def check() -> None:
        assert _same(last[-1], play.game.new_state())

    return Work(run, len(play.slow), check)


# whole random games


def _playouts(play: Midgame, title: str) -> Batch:
    return load(play.game.name, **play.workload.playouts[title]).batch(
        PLAYOUTS, seed=play.seed, observe=None, masks=False
    )


def _playout_batch(play: Midgame, title: str) -> Work:
    batch = _playouts(play, title)

    def check() -> None:
        assert batch.terminated.all()
        for state in batch.states:
            assert batch.game.state_from_bytes(state.tobytes()).is_terminal()

    return Work(batch.playout, PLAYOUTS, check, functools.partial(batch.reset, play.seed))


def _search_mcts(play: Midgame, title: str) -> Work:
    """Simulations from the start of the game, each a random playout to the end."""
    state = load(play.game.name, **play.workload.playouts[title]).new_state(play.seed)
    found: list[Any] = []

    def before() -> None:
        found[:] = [MCTS(state.game, simulations=SIMULATIONS)]

    def run() -> None:
        found.append(found[0].search(state))

    def check() -> None:
        result = found[-1]
        assert isinstance(result, Result)
        assert result.simulations == SIMULATIONS == result.slots[0].visits.sum()
        assert set(result.slots[0].actions.tolist()) <= set(state.legal_actions().tolist())

    return Work(run, SIMULATIONS, check, before)


def _playout_reference(play: Midgame, title: str) -> Work:
    """Row 0 of the batch, played by the reference with the same draws."""
    batch = _playouts(play, title)
    played: list[Any] = []

    def run() -> None:
        rng = Rng(stream(play.seed, 0))
        state = play.twin.new(batch.game.config, rng.next() >> 1)
        while slots := state.slots:
            legal = [state.legal_actions(slot) for slot in range(len(slots))]
            codes = [actions[rng.below(len(actions))] for actions in legal]
            state.apply(codes if batch.game.num_slots > 1 else codes[0])
        played[:] = [state]

    def check() -> None:
        batch.playout()
        assert _same(played[0], batch.game.state_from_bytes(batch.states[0].tobytes()))

    return Work(run, 1, check)


# -- measuring ------------------------------------------------------------------------------------


def measure(name: str, rounds: int = ROUNDS, seed: int = 0, more: Sequence[Case] = ()) -> dict[str, list[float]]:
    """{case: ns a unit in each round} of a game, every answer checked first; `more` cases after its own."""
    play = Midgame(name, seed)
    works = {entry.name: entry.ready(play) for entry in [*cases(name), *more]}
    found: dict[str, list[float]] = {key: [] for key in works}
    with _no_collection():
        for _ in range(rounds):
            for key, work in works.items():
                work.before()
                start = time.perf_counter_ns()
                work.run()
                found[key].append((time.perf_counter_ns() - start) / work.units)
    return found


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection inside."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the report.

    value : of `unit`. reference : how many times as long the reference takes. floor : by how many times this takes as
    long as the floor of the same operation.
    """

    name: str
    value: float
    unit: str
    per_s: float | None = None
    best: float | None = None
    reference: float | None = None
    floor: float | None = None
    gate: str | None = None
    ok: bool | None = None


def rows(name: str, found: Mapping[str, Sequence[float]], more: Sequence[Case] = ()) -> list[Row]:
    """The rows of a game: its cases and `more`, what follows from them, and the size of a state."""
    times = {key: np.array(values) for key, values in found.items()}
    entries = [*cases(name), *more]
    operations = list(dict.fromkeys(entry.operation for entry in entries))
    own = level()

    def ratio(one: str, other: str) -> float | None:
        """The median of the ratios within a round, where both were measured."""
        return float(np.median(times[one] / times[other])) if one != other and {one, other} <= times.keys() else None

    def row(key: str, value: float, unit: str, **more: Any) -> Row:
        gate = WORKLOADS[name].gates.get(key)
        if gate is None:
            return Row(key, value, unit, **more)
        sign = ">=" if gate.at_least else "<="
        return Row(key, value, unit, gate=f"{sign} {gate.limit(own):,.6g}", ok=gate.accepts(value, own), **more)

    lines = []
    for entry in sorted(entries, key=lambda entry: operations.index(entry.operation)):
        values = times[entry.name]
        median = float(np.median(values))
        more_of = {
            "per_s": 1e9 / median,
            "best": float(values.min()),
            "reference": ratio(f"{entry.operation}/reference", entry.name),
            "floor": ratio(entry.name, f"{entry.operation}/floor"),
        }
        lines.append(row(entry.name, median, f"ns/{entry.unit}", **more_of))
    alone, batch, threads = times["turn/table"], times["turn/batch"], times["turn/batch, 2 threads"]
    return [
        *lines,
        row("batch beyond the turn", float(np.median(batch - alone)), "ns/turn"),
        row("two threads", float(np.median(batch / threads)), "x"),
        row("state", load(name, **WORKLOADS[name].fields).state_size, "bytes"),
    ]


def level() -> str:
    """The CPU level of the kernels: what MASUME_CPU names, else the best of this machine."""
    return os.environ.get("MASUME_CPU") or levels()[-1]


def report(
    names: Sequence[str], rounds: int = ROUNDS, seed: int = 0, more: Callable[[str], Sequence[Case]] = lambda _: ()
) -> dict[str, Any]:
    """What `masume bench` prints, as plain JSON types: how it was built, the machine, and the rows of each game.

    more : the cases that a game has beside its own.
    """
    before = os.getloadavg()[0]
    games = {
        name: {
            "positions": WORKLOADS[name].title,
            "rows": [vars(row) for row in rows(name, measure(name, rounds, seed, more(name)), more(name))],
        }
        for name in names
    }
    return {
        "masume": version("masume"),
        **_bench.built_with(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": {
            "cpu": _cpu(),
            "cores": len(os.sched_getaffinity(0)),
            "system": platform.platform(),
            "load": [round(before, 2), round(os.getloadavg()[0], 2)],
        },
        "level": level(),
        "rounds": rounds,
        "seed": seed,
        "games": games,
    }


def text(report: Mapping[str, Any]) -> str:
    """A report as tables for a terminal, one a game."""
    machine = report["machine"]
    said = (
        f"masume {report['masume']}, {report['compiler']}, Cython {report['cython']}, Python {report['python']}, "
        f"NumPy {report['numpy']}\n{machine['cpu']}, {machine['cores']} cores, level {report['level']}, "
        f"load {machine['load'][0]} before, {machine['load'][1]} after"
    )
    for name, game in report["games"].items():
        width = max(len(row["name"]) for row in game["rows"])
        said += f"\n\n{name}: {game['positions']}\n"
        said += f"{'case':{width}}  {'median':>12} {'unit':13} {'per second':>14}"
        said += f"  {'x reference':>11}  {'x floor':>7}  gate"
        for row in game["rows"]:
            value = f"{row['value']:,.{0 if row['value'] >= 1000 else 2}f}"
            per_s = f"{row['per_s']:,.0f}" if row["per_s"] else ""
            reference = f"{row['reference']:,.0f}" if row["reference"] else ""
            floor = f"{row['floor']:.2f}" if row["floor"] else ""
            gate = f"{row['gate']} {'ok' if row['ok'] else 'MISS'}" if row["gate"] else ""
            line = f"{row['name']:{width}}  {value:>12} {row['unit']:13} {per_s:>14}"
            said += f"\n{line}  {reference:>11}  {floor:>7}  {gate}".rstrip()
    return said


def _cpu() -> str:
    """The processor's name, where the system tells it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


# -- comparing ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Change:
    """What a figure was and is: less is better."""

    name: str
    before: float
    after: float

    @property
    def share(self) -> float:
        """By what share it grew; negative where it shrank."""
        return (self.after - self.before) / self.before

    def __str__(self) -> str:
        return f"{self.name}: {self.before:,.2f} -> {self.after:,.2f} ({self.share:+.2%})"


def changes(before: Mapping[str, float], after: Mapping[str, float]) -> list[Change]:
    """The figures that both have, in the order of `after`."""
    return [Change(name, before[name], value) for name, value in after.items() if name in before]


def timed(text: str | bytes) -> dict[str, float]:
    """{"game case": ns a unit} of a report as JSON text; ConfigError for text that is none."""
    try:
        found = {
            f"{name} {row['name']}": float(row["value"])
            for name, game in json.loads(text)["games"].items()
            for row in game["rows"]
            if row["best"] is not None
        }
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise ConfigError(f"compare: no report of `masume bench --json`: {error!r}") from None
    for name, value in found.items():
        if not value > 0:
            raise ConfigError(f"compare: {name} takes {value} ns")
    return found
