"""The cases that all games have: one operation after the other, in all its ways."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..batch import Batch
from ..core import registry
from ..core.rng import Rng, stream
from ..game import load
from ..search.mcts import MCTS, Result
from . import _loops
from .workload import Case, Midgame, Work, same, workloads

PLAYOUTS = 1024  # games of a playout case: of 64 that are played again and again branch predictors learn the draws
SIMULATIONS = 256  # of a search case
CALLS = 1000  # of what is too short to time alone

CASES: list[Case] = []


def case(
    name: str, unit: str, subject: str, counted: bool = False
) -> Callable[[Callable[[Midgame], Work]], Callable[[Midgame], Work]]:
    """Make the function, which makes the Work, the case of this name."""

    def register(make: Callable[[Midgame], Work]) -> Callable[[Midgame], Work]:
        CASES.append(Case(name, unit, subject, make, counted))
        return make

    return register


def cases(name: str) -> list[Case]:
    """The cases of a game."""
    about = workloads()[name]
    game = load(name, **about.fields)
    found = [*CASES, *registry.parts("bench")[name].cases()]
    if "packed" in game.observation_spec:
        found.append(Case("turn/batch, packed", "turn", "batch", _turn_batch_packed))
    if not game.is_perfect_information:
        found.append(Case("resample/state", "position", "state", _resample_state))
    for field in game.observation_spec:
        make = functools.partial(_observation_table, field=field)
        found.append(Case(f"observation {field}/table", "view", "rules", make, counted=True))
    for title in about.playouts:
        make = functools.partial(_playout_batch, title=title)
        found.append(Case(f"playout {title}/batch", "playout", "playout", make, counted=True))
        make = functools.partial(_search_mcts, title=title)
        found.append(Case(f"search {title}/mcts", "simulation", "search", make, counted=True))
    *_, small = about.playouts
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
            assert same(ask(state), ask(play.states[i]))

    return Work(run, len(play.slow), check)


# a turn


def _turn(play: Midgame, batch: Batch, run: Callable[[], object]) -> Work:
    def check() -> None:
        assert batch.states.tobytes() == play.after

    return Work(run, len(play), check, functools.partial(_loops.load, batch, play.states))


def _turn_in_batch(play: Midgame, **options: Any) -> Work:
    batch = play.batch(**options)
    return _turn(play, batch, batch.step)


@case("turn/table", "turn", "rules", counted=True)
def _turn_table(play: Midgame) -> Work:
    batch = play.batch()
    return _turn(play, batch, functools.partial(_loops.apply, batch))


@case("turn/batch", "turn", "batch", counted=True)
def _turn_batch(play: Midgame) -> Work:
    return _turn_in_batch(play)


@case("turn/batch, 2 threads", "turn", "batch")
def _turn_batch_threads(play: Midgame) -> Work:
    batch = play.batch(threads=2)
    work = _turn(play, batch, batch.step)

    def before() -> None:
        keep_awake(batch)
        work.before()
        batch.actions[:] = play.codes

    return dataclasses.replace(work, before=before, threaded=True)


def keep_awake(batch: Batch) -> None:
    """Step a few times, so that the batch's threads look for more: as they do in a loop of steps."""
    for _ in range(4):
        batch.sample_actions()
        batch.step()


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
            assert same(state, engine)

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

    return Work(functools.partial(_loops.mask, batch), play.num_slots, check)


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

    return Work(functools.partial(_loops.mask_bits, batch), play.num_slots, check)


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
        assert _loops.legal(batch) == listed

    return Work(functools.partial(_loops.legal, batch), play.num_slots, check)


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

    return Work(functools.partial(_loops.observe, batch), len(play) * play.num_views, check)


@case("view/state", "view", "state", counted=True)
def _view_state(play: Midgame) -> Work:
    """All fields of an observation."""
    spec = play.game.observation_spec
    out = {field: np.empty(shape, dtype) for field, (shape, dtype) in spec.items()}

    def run() -> None:
        for state in play.states:
            state.observation(0, out)

    def check() -> None:
        assert same(play.in_reference(play.states[-1]).observation(0), out)

    return Work(run, len(play), check)


@case("view/reference", "view", "rules")
def _view_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.observation(0))


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
        assert _loops.key(batch) == mixed
        assert len({state.key for state in play.states}) == len(play)

    return Work(functools.partial(_loops.key, batch), len(play), check)


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
        assert same(play.twin.new(play.game.config), last)

    return Work(run, CALLS, check)


@case("new_state/reference", "position", "rules")
def _new_reference(play: Midgame) -> Work:
    last: list[Any] = []

    def run() -> None:
        last[:] = [play.twin.new(play.game.config) for _ in play.slow]

    def check() -> None:
        assert same(last[-1], play.game.new_state())

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
    seeds = itertools.count(play.seed)  # another search each time, for the same reason

    def before() -> None:
        found[:] = [MCTS(state.game, simulations=SIMULATIONS)]

    def run() -> None:
        found.append(found[0].search(state, seed=next(seeds)))

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
        assert same(played[0], batch.game.state_from_bytes(batch.states[0].tobytes()))

    return Work(run, 1, check)
