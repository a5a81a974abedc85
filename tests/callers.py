"""Hostile callers: objects that run their own code inside masume's C, uninitialised objects, damaged pickles.

Every function, method and property of a compiled module, public or private, is called on objects in all states,
with arguments of which some change the callee's own objects while they are read. Any exception is accepted except
`AssertionError` and warnings. The tests look for invalid memory accesses (under a sanitizer), and for positions that do
not pass `check()` afterwards.
"""

from __future__ import annotations

import copy
import gc
import pickle
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import foreign
import masume
from masume.core import _batch, _game, _state
from masume.search import _alphabeta, _beam, _ending, _mcts
from mutations import ODD_VALUES, Entrance, Sample, must, odd_actions, odd_value, play_on

MODULES = foreign.compiled_modules()
LEFT_OUT = {
    "__class__", "__del__", "__delattr__", "__dict__", "__getattribute__", "__init_subclass__", "__new__",
    "__setattr__", "__subclasshook__", "batch", "calibrate", "counted", "table",
}  # fmt: skip
FOREST = {
    "exploration": 1.0, "wide": 2.0, "widening": 0.5, "scale": 0.0, "policy": 0, "prior": 0, "horizon": 0,
    "regret": False, "noise": 0.0, "lead_share": 0.5, "per_sample": 1, "leaves": 0, "observe": (),
}  # fmt: skip
"""Settings of a small search."""


# -- objects that run code while they are read -----------------------------------------------------------


class Number:
    """Object that converts to an int and changes something when it is converted."""

    def __init__(self, value: int, deed: Callable[[], Any]) -> None:
        self.value, self.deed = value, deed

    def __index__(self) -> int:
        self.deed()
        return self.value

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __eq__(self, other: object) -> bool:
        self.deed()
        return bool(self.value == other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        self.deed()
        return "Number"


class Liar(int):
    """Int with arbitrary comparisons."""

    def __le__(self, other: object) -> bool:
        return True

    __lt__ = __ge__ = __gt__ = __eq__ = __le__
    __hash__ = int.__hash__


class Fresh(Mapping[str, Any]):
    """Mapping whose arrays are new each time."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = spec

    def __getitem__(self, name: str) -> Any:
        shape, dtype = self.spec[name]
        return np.empty(shape, dtype)

    def __iter__(self) -> Iterator[str]:
        return iter(self.spec)

    def __len__(self) -> int:
        return len(self.spec)


class Pretender(np.ndarray):
    """Array that claims to be larger than it is."""

    shape = property(lambda self: (1 << 20,))  # type: ignore[assignment]
    dtype = property(lambda self: np.dtype(np.float32))  # type: ignore[assignment]


def arrays(rng: random.Random, game: masume.Game) -> Any:
    """Return an array that some function of the game may expect, or nearly."""
    size = rng.choice((0, 1, 3, game.num_slots, game.num_actions, game.num_players))
    array = np.zeros(size, rng.choice(("i1", "i4", "i8", "u1", "u8", "f4", "b1", ">i4", "O")))
    way = rng.randrange(7)
    if way == 0:
        array.flags.writeable = False
    elif way == 1:
        return np.repeat(array, 2)[::2]
    elif way == 2:
        return array.view(Pretender)
    elif way == 3:
        return array.reshape(1, -1) if size else array
    elif way == 4 and array.dtype != object:
        return np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1) if size else array
    return array


class Caller:
    """Objects of a case, and the arguments that refer to them."""

    def __init__(self, sample: Sample) -> None:
        self.rng, self.game = sample.rng, sample.game
        self.state, self.other = sample.state, sample.state.clone()
        self.batch: masume.Batch | None = None
        self.lists: list[list[Any]] = []
        self.forest: Any = None

    def deed(self) -> None:
        """Do something that may harm code that is in the middle of reading."""
        way = self.rng.randrange(8)
        if way < 2:
            for one in self.lists:
                one.clear()
        elif way == 2:
            for one in self.lists:
                one.extend([0] * 100)
        elif way == 3:
            play_on(self.rng, self.state, 1)
        elif way == 4:
            self.state.copy_from(self.other)
        elif way == 5 and self.batch is not None:
            self.batch.step(self.batch.actions)
        elif way == 6 and self.forest is not None:
            self.forest.set_root(0, self.other, 0, 1)
        else:
            gc.collect(0)

    def _evaluate(self, observations: Any, movers: Any) -> Any:
        self.deed()
        n, game = len(movers), self.game
        priors = np.zeros((n, game.num_slots, game.num_actions), np.float32)
        return self.rng.choice((priors, priors[:0], priors - 1)), np.zeros((n, game.num_players), np.float32)

    def argument(self) -> Any:
        """Return anything, most of it nearly right."""
        rng, game = self.rng, self.game
        way = rng.randrange(16)
        if way < 3:
            return rng.randrange(-1, 4)
        if way == 3:
            return Number(rng.randrange(3), self.deed)
        if way == 4:
            return Liar(rng.choice((-1, 0, 5, 2**31, 2**70)))
        if way == 5:
            codes = [rng.choice((0, Number(0, self.deed), Liar(2**20), "A")) for _ in range(game.num_slots)]
            self.lists.append(codes)
            return codes
        if way == 6:
            return Fresh(game.observation_spec)
        if way == 7:
            return {name: np.empty(shape, dtype) for name, (shape, dtype) in game.observation_spec.items()}
        if way == 8:
            return arrays(rng, game)
        if way == 9:
            return rng.choice((self.state, self.other, self.batch, self.forest, game, self.game.config))
        if way == 10:
            return half_made(rng, game)
        if way == 11:
            return rng.choice((self.state.to_bytes(), b"", bytes(8), self.state.to_dict(), str(self.state)))
        if way == 12:
            return odd_actions(rng, game, [0] * game.num_slots)
        if way == 13:
            return rng.choice((self.deed, lambda *_: self.deed(), tuple(self.lists), {"planes": None}))
        if way == 14:
            return odd_value(rng, 1)
        return copy.copy(rng.choice(ODD_VALUES))

    def arguments(self, name: str) -> list[Any]:
        """Return arguments for a part of this name; those that may take long are bounded."""
        rng = self.rng
        if name in ("perft", "divide"):
            return [rng.choice((self.state, self.argument())), rng.randrange(-1, 3)]
        if name == "solve":
            return [rng.choice((self.state, self.argument())), False, 50, rng.choice(([], [(0, 4)], [(-1, 2**40)]))]
        if name == "run":
            evaluator = rng.choice((None, self._evaluate))
            state = [rng.choice((self.other, self.argument()))] if self.forest is None else []
            return [*state, rng.choice((1, 20)), rng.choice((0.0, 0.001)), *([evaluator] if self.forest else [])]
        return [self.argument() for _ in range(self.rng.choice((0, 0, 1, 1, 1, 2, 2, 3, 4, 6)))]


def half_made(rng: random.Random, game: masume.Game) -> Any:
    """Return an object of a compiled class that was created without initialisation."""
    kind = rng.choice([_game.Table, masume.Game, _batch.Loop, masume.Batch, _state.State, game._kind])
    try:
        return kind.__new__(kind, game) if issubclass(kind, _state.State) else kind.__new__(kind)
    except TypeError:
        return game.new_state()


def searches(caller: Caller) -> Any:
    """Return the compiled part of a search over the game, sometimes with odd numbers."""
    rng, game = caller.rng, rng_game(caller)
    odd = rng.random() < 0.3
    number = (lambda *values: rng.choice((*values, -1, 0, 2**31 - 1))) if odd else lambda *values: values[0]
    way = rng.randrange(4)
    if way == 0:
        return _alphabeta.Ladder(game, rng.choice((16, 16, 3, 0)))
    if way == 1:
        return _beam.Layers(game, number(2), number(3), number(4), 0.9, 0.5)
    if way == 2:
        return _ending.Ending(game)
    settings = {
        "exploration": 1.0,
        "wide": 2.0,
        "widening": 0.5,
        "scale": 0.0,
        "policy": number(0),
        "prior": number(0),
        "horizon": 0,
    }
    settings |= {"lead_share": 0.5, "per_sample": number(1, 2)}
    settings |= {"regret": False, "noise": 0.0, "leaves": rng.choice((0, 0, 4)), "observe": ("planes",)}
    forest = _mcts.Forest(game.public, number(1, 2), number(1, 2), 1 << 20, **settings)
    caller.forest = forest
    if rng.random() < 0.8:
        forest.set_root(0, caller.other, int(caller.other.slots[0]) if len(caller.other.slots) else 0, 3)
    return forest


def rng_game(caller: Caller) -> masume.Game:
    """Return the case's game; rarely a table without a game."""
    return caller.game if caller.rng.random() < 0.95 else _game.Table.__new__(_game.Table)


def single(game: masume.Game) -> _batch.Single:
    """Return the only game of a batch, in self-play."""
    batch = game.batch(1, autoreset="disabled", on_illegal="fallback")
    fields = {name: array[0] for name, array in batch.observations.items()}
    neutral = np.zeros((game.num_slots, game.num_actions), np.uint8)
    return _batch.Single(batch, -1, range(game.num_slots), None, None, neutral, fields, lambda action, _: action)


def target(caller: Caller) -> Any:
    """Return an object, class or module whose parts are called."""
    rng, game = caller.rng, caller.game
    way = rng.randrange(8)
    if way < 3:
        return caller.state
    if way == 3:
        caller.batch = game.batch(rng.choice((1, 3, 70)), threads=rng.choice((1, 1, 2)), masks=rng.random() < 0.5)
        return caller.batch
    if way == 4:
        return half_made(rng, game)
    if way == 5:
        return searches(caller)
    if way == 6:
        others = _batch.Block(8 * rng.randrange(4)), _batch.Pool(rng.choice((1, 2))), single(game), game._kind
        return rng.choice((game, *others))
    return rng.choice(MODULES)


def hostile_calls(sample: Sample) -> masume.State:
    """Call parts of an object one after the other."""
    caller = Caller(sample)
    try:
        its = target(caller)
        for _ in range(sample.rng.choice((1, 3, 8))):
            name = sample.rng.choice([name for name in dir(its) if name not in LEFT_OUT])
            if name == "__init__" and isinstance(its, masume.Batch):
                continue  # a random size could take all memory
            try:
                part = getattr(its, name)
                if callable(part):
                    # without one of the right type most calls through a class end at the check of `self`
                    own = [caller.state] if isinstance(its, type) and sample.rng.random() < 0.8 else []
                    part(*own, *caller.arguments(name))
            except (AssertionError, KeyboardInterrupt):
                raise
            except Exception as error:
                must(not isinstance(error, Warning | SystemError), f"{name}: {error!r}")
    except AssertionError:
        raise
    except Exception as error:
        must(not isinstance(error, Warning | SystemError), repr(error))
    caller.lists.clear()
    return caller.state if sample.rng.random() < 0.5 else caller.other


def hostile_observation(sample: Sample) -> masume.State:
    """Call `observation` with arrays that the caller does not own, or that disappear during the write."""
    caller = Caller(sample)
    spec = sample.game.observation_spec
    own = {name: np.empty(shape, dtype) for name, (shape, dtype) in spec.items()}

    class Shrinking(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            for array in own.values():
                array.resize(0, refcheck=False)
            return super().__getitem__(name)

    out = sample.rng.choice((Fresh(spec), Shrinking(own), own | {"planes": arrays(sample.rng, sample.game)}))
    try:
        sample.state.observation(Number(0, caller.deed), out)
    except (ValueError, TypeError):
        return sample.state
    return sample.state


def hostile_pickle(sample: Sample) -> masume.State:
    """Call the function behind a State's pickle with other arguments."""
    function, arguments = sample.state.__reduce__()
    given = [list(part) if isinstance(part, list) else part for part in arguments]
    at = sample.rng.randrange(len(given) + 1)
    if at == len(given):
        given.append(odd_value(sample.rng, None))
    elif isinstance(given[at], bytes):
        given[at] = given[at][: sample.rng.randrange(len(given[at]) + 1)]
    elif isinstance(given[at], list):
        given[at] = sample.rng.choice(([*given[at], 0], [*given[at], 2**40], (1, "a"), {0: 1}, [Liar(3)] * 200))
    else:
        past: Any = (0, sample.game, sample.state.to_bytes()[: sample.game.state_size], (), None)
        given[at] = sample.rng.choice(
            (past, past[:4], (*past[:2], b"", (), None), (*past[:3], [1], past), (9, *past[1:]))
        )
    try:
        state = function(*given)
    except (masume.StateError, TypeError, ValueError):
        return sample.state
    for player in range(sample.game.num_players):
        try:
            state.information_state(player)
        except ValueError:
            continue  # its history contains actions that cannot have been played
    must(pickle.loads(pickle.dumps(state)) == state, "it does not read back")
    return sample.state


def hostile_thread(sample: Sample) -> None:
    """Step a batch while another thread writes into its arrays, within what NumPy allows."""
    batch = sample.game.batch(300, threads=2)
    rng = np.random.default_rng(sample.rng.randrange(2**32))
    stops = threading.Event()

    def write() -> None:
        while not stops.is_set():
            batch.actions[:] = rng.integers(-5, sample.game.num_actions + 5, batch.actions.shape, np.int32)
            batch.seeds[:] = 2**63
            batch.current_player[:] = 100

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(5):
            try:
                batch.step()
            except masume.IllegalActionError:
                continue
    finally:
        stops.set()
        thread.join()
    for row in range(len(batch)):
        batch.state(row).check()


ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = {
    hostile_calls: (),
    hostile_observation: (),
    hostile_pickle: (),
    hostile_thread: (masume.ConfigError,),
}
