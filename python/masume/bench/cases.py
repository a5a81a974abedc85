"""Cases that all games have, grouped by operation."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..batch import Batch
from ..core import registry
from ..core._planes import Form
from ..core.rng import Rng, stream
from ..errors import ConfigError
from ..game import Game, load
from ..search.mcts import MCTS, Result
from . import _loops
from .workload import Case, Midgame, Work, same, workloads

PLAYOUTS = 1024  # games of a playout case: branch predictors would learn the draws of 64 repeated games
SIMULATIONS = 256  # of a search case
TREES, EVALUATED = 64, 16  # trees whose leaves are evaluated outside, and simulations of each
FORMS: dict[str, dict[str, Any]] = {
    **{dtype: {"dtype": dtype} for dtype in ("uint8", "bits", "float16")},
    "uint8, 11x11": {"dtype": "uint8", "crop": 11},
    "uint8, seen": {"dtype": "uint8", "crop": "seen"},
}
COUNTED_FORMS = ("uint8", "bits", "uint8, 11x11", "uint8, seen")
FIELDS = ("planes", "scalars")  # that a batch observes by default
CALLS = 1000  # per timing, for operations that are too short to time alone

CASES: list[Case] = []


def case(
    name: str, unit: str, subject: str, counted: bool = False, floor: str | None = None
) -> Callable[[Callable[[Midgame], Work]], Callable[[Midgame], Work]]:
    """Register the decorated function, which creates the Work, as the case of this name."""

    def register(make: Callable[[Midgame], Work]) -> Callable[[Midgame], Work]:
        CASES.append(Case(name, unit, subject, make, counted, floor=floor))
        return make

    return register


def cases(name: str) -> list[Case]:
    """Return the cases of a game."""
    about = workloads()[name]
    game = load(name, **about.fields)
    entries = [*CASES, *registry.parts("bench")[name].cases()]
    if "packed" in game.observation_spec:
        entries.append(Case("turn/batch, packed", "turn", "batch", _turn_batch_packed))
    if not game.is_perfect_information:
        entries.append(Case("resample/state", "position", "state", _resample_state))
    for field in game.observation_spec:
        make = functools.partial(_observation_table, field=field)
        entries.append(Case(f"observation {field}/table", "view", "rules", make, counted=True))
    for title, form in _forms(game).items():
        make = functools.partial(_observation_table, field="planes", **form)
        entries.append(Case(f"observation planes, {title}/table", "view", "rules", make, title in COUNTED_FORMS))
        make = functools.partial(_turn_in_batch, observe=FIELDS, masks=True, **form)
        entries.append(Case(f"turn/batch, {title}", "turn", "batch", make, floor=f"turn/sum, {title}"))
    for title, form in {"default": {}, **_forms(game)}.items():
        entries.append(Case(f"turn/sum, {title}", "turn", "batch", functools.partial(_turn_and_fill, **form)))
        if Form(game, form.get("dtype", "float32"), form.get("crop")).changing and not game.is_perfect_information:
            make = functools.partial(_turn_changes, **form)
            name = f"turn/batch, {title}, changes"
            entries.append(Case(name, "turn", "batch", make, title in COUNTED_FORMS, floor=f"turn/sum, {title}"))
    for title in about.playouts:
        make = functools.partial(_playout_batch, title=title)
        entries.append(Case(f"playout {title}/batch", "playout", "playout", make, counted=True))
        make = functools.partial(_search_mcts, title=title)
        entries.append(Case(f"search {title}/mcts", "simulation", "search", make, counted=True))
    *_, small = about.playouts
    make = functools.partial(_playout_reference, title=small)
    entries.append(Case(f"playout {small}/reference", "playout", "playout", make))
    return entries


def _slowly(play: Midgame, ask: Callable[[Any], Any]) -> Work:
    """Return the Work of `ask(state)` on the reference, whose answer must equal the engine's."""

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

    def before() -> None:
        batch.actions[:] = play.codes
        _loops.load(batch, play.states)

    return Work(run, len(play), check, before, choose=play.choose)


def _over(play: Midgame, batch: Batch, run: Callable[[], object], units: int, check: Callable[[], None]) -> Work:
    """Return the Work of a function of the table over all rows of a batch, which leaves the positions as they are."""
    return Work(run, units, check, functools.partial(_loops.load, batch, play.states), choose=play.choose)


def _turn_in_batch(play: Midgame, **options: Any) -> Work:
    batch = play.batch(**options)
    return _turn(play, batch, batch.step)


@case("turn/table", "turn", "rules", counted=True)
def _turn_table(play: Midgame) -> Work:
    batch = play.batch()
    return _turn(play, batch, functools.partial(_loops.apply, batch))


@case("turn repeated/table", "turn", "rules")
def _turn_repeated(play: Midgame) -> Work:
    """Time the recorded positions in every round: what a predictor that has learned them makes of a turn."""
    return dataclasses.replace(_turn_table(play), choose=None)


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

    return dataclasses.replace(work, before=before, threaded=True)


def keep_awake(batch: Batch) -> None:
    """Step a few times so that the batch's threads look for work, as they do in a loop of steps."""
    for _ in range(4):
        batch.sample_actions()
        batch.step()


def _turn_batch_packed(play: Midgame) -> Work:
    return _turn_in_batch(play, observe=("packed",), masks="packed")


@case("turn/batch, default", "turn", "batch", counted=True, floor="turn/sum, default")
def _turn_batch_default(play: Midgame) -> Work:
    return _turn_in_batch(play, observe=FIELDS, masks=True)


def _turn_and_fill(play: Midgame, **form: Any) -> Work:
    """Time the least that a step could cost: a bare turn, the masks, and a fill of as many bytes as are observed."""
    batch = play.batch(masks=True)
    spec = Form(play.game, form.get("dtype", "float32"), form.get("crop")).spec
    arrays = [np.zeros((len(play), play.num_views, *shape), kind) for shape, kind in (spec[name] for name in FIELDS)]

    def run() -> None:
        batch.step()
        for array in arrays:
            array.fill(1)

    work = _turn(play, batch, run)

    def check() -> None:
        work.check()
        assert all((array == 1).all() for array in arrays)

    return dataclasses.replace(work, check=check)


def _turn_changes(play: Midgame, **form: Any) -> Work:
    """Time a turn after which a player sees what has changed since its own last turn.

    Off the clock each game is set to the position before the last ply, shown to its mover, and stepped; a game of which
    nothing has been played is shown to player 1.
    """
    batch = play.batch(observe=FIELDS, masks=True, only_changes=True, **form)
    before_last = play.each(lambda: [_ply_before(play, state) for state in play.states])

    def before() -> None:
        states, codes, movers = zip(*before_last(), strict=True)
        viewers = np.array(movers, np.int8)
        batch._show_only(viewers)
        _loops.load(batch, list(states))
        batch.look(viewers)
        batch.actions[:, 0] = codes
        batch.step(mask=np.array(codes) >= 0)
        batch.actions[:] = play.codes

    def check() -> None:
        assert batch.states.tobytes() == play.after
        whole = play.batch(observe=FIELDS, **form)
        whole._show_only(np.array([mover for _, _, mover in before_last()], np.int8))
        whole.step()
        for name, array in batch.observations.items():
            assert np.array_equal(array, whole.observations[name])

    return Work(batch.step, len(play), check, before, choose=play.choose)


def _ply_before(play: Midgame, state: Any) -> tuple[Any, int, int]:
    """Return the position a ply earlier, the code played there, and its mover; of a start: itself, -1 and player 1."""
    if not state.history:
        return state, -1, 1
    found = play.game.state_from_bytes(state.origin, without_memory=True)
    *earlier, last = state.history
    for action in earlier:
        found.apply(action)
    return found, found.encode(int(last)), found.current_player


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

    return Work(run, len(play), check, before, choose=play.choose)


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
    """Time a step that has nothing to do: the only game is over and stays so."""
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


def _slots(play: Midgame) -> list[int]:
    """Return one slot for each position of any set; the slots take turns."""
    return [i % len(state.slots) for i, state in enumerate(play.states)]


def _states(play: Midgame, run: Callable[[], object], check: Callable[[], None]) -> Work:
    """Return the Work of a method of all states, which leaves them as they are."""

    def before() -> None:  # the positions of another set are in no cache
        for state in play.states:
            state.to_bytes()

    return Work(run, len(play), check, before, choose=play.choose)


@case("mask/table", "slot", "rules", counted=True)
def _mask_table(play: Midgame) -> Work:
    batch = play.batch(masks=True)
    masks = batch.masks
    assert masks is not None
    masks[:] = 2

    def check() -> None:
        for i, twin in zip(play.picked, play.slow, strict=True):
            assert masks[i].tolist() == [twin.legal_mask(slot) for slot in range(len(twin.slots))]

    return _over(play, batch, functools.partial(_loops.mask, batch), play.num_slots, check)


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

    return _over(play, batch, functools.partial(_loops.mask_bits, batch), play.num_slots, check)


@case("mask/state", "slot", "state", counted=True)
def _mask_state(play: Midgame) -> Work:
    out = np.full(play.game.num_actions, 2, np.uint8)
    slots = _slots(play)

    def run() -> None:
        for state, slot in zip(play.states, slots, strict=True):
            state.legal_mask(slot, out)

    def check() -> None:
        state, slot = play.states[-1], slots[-1]
        assert out.max() == 1
        assert np.flatnonzero(out).tolist() == [state.encode(int(action)) for action in state.legal_actions(slot)]

    return _states(play, run, check)


@case("mask/reference", "slot", "rules")
def _mask_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.legal_mask(0))


@case("legal/table", "slot", "rules", counted=True)
def _legal_table(play: Midgame) -> Work:
    batch = play.batch()

    def check() -> None:
        listed = sum(len(state.legal_actions(slot)) for state in play.states for slot in range(len(state.slots)))
        assert _loops.legal(batch) == listed

    return _over(play, batch, functools.partial(_loops.legal, batch), play.num_slots, check)


@case("legal/state", "slot", "state", counted=True)
def _legal_state(play: Midgame) -> Work:
    slots = _slots(play)
    last: Any = None

    def run() -> None:
        nonlocal last
        for state, slot in zip(play.states, slots, strict=True):
            last = state.legal_actions(slot)

    def check() -> None:
        state, slot = play.states[-1], slots[-1]
        assert np.array_equal(last, state.legal_actions(slot))
        for i, twin in zip(play.picked, play.slow, strict=True):
            state, slot = play.states[i], slots[i]
            assert state.legal_actions(slot).tolist() == twin.legal_actions(slot)

    return _states(play, run, check)


@case("legal/reference", "slot", "rules")
def _legal_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.legal_actions(0))


# views


def _forms(game: Game) -> dict[str, dict[str, Any]]:
    """Return the options of the compact forms that a game's planes have."""
    found = {}
    for title, form in FORMS.items():
        with contextlib.suppress(ConfigError):
            game.plane_spec(**form)
            found[title] = form
    return found


def _observation_table(play: Midgame, field: str, **form: Any) -> Work:
    batch = play.batch(observe=(field,), **form)
    rows = batch.observations[field]
    rows = rows.reshape(len(play), play.num_views, *rows.shape[1 + play.game.is_simultaneous :])
    rows[:] = 77

    def check() -> None:
        seen = {field: np.empty_like(rows[0, 0])}
        for i, state in enumerate(play.states):
            for player in range(play.num_views):
                state.observation(player, seen, **form)
                assert np.array_equal(rows[i, player], seen[field])

    return _over(play, batch, functools.partial(_loops.observe, batch), len(play) * play.num_views, check)


@case("view/state", "view", "state", counted=True)
def _view_state(play: Midgame) -> Work:
    """Time an observation with all fields."""
    spec = play.game.observation_spec
    out = {field: np.empty(shape, dtype) for field, (shape, dtype) in spec.items()}

    def run() -> None:
        for state in play.states:
            state.observation(0, out)

    def check() -> None:
        assert same(play.in_reference(play.states[-1]).observation(0), out)

    return _states(play, run, check)


@case("view/reference", "view", "rules")
def _view_reference(play: Midgame) -> Work:
    return _slowly(play, lambda state: state.observation(0))


def _resample_state(play: Midgame) -> Work:
    """Time a sample for the player to move."""
    movers: list[tuple[Any, int]] = []

    def before() -> None:
        movers[:] = [(state, state.current_player) for state in play.states]

    def run() -> None:
        for seed, (state, player) in enumerate(movers):
            state.resample(player, seed)

    def check() -> None:
        for i, twin in zip(play.picked, play.slow, strict=True):
            state, player = movers[i]
            assert twin.contradictions(player, state.resample(player, i).to_dict()) == []

    return Work(run, len(play), check, before, choose=play.choose)


# operations that keep and move positions


@case("key/table", "position", "rules", counted=True)
def _key_table(play: Midgame) -> Work:
    batch = play.batch()

    def check() -> None:
        mixed = 0
        for state in play.states:
            mixed ^= state.key
        assert _loops.key(batch) == mixed
        assert len({state.key for state in play.states}) == len(play)

    return _over(play, batch, functools.partial(_loops.key, batch), len(play), check)


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

    return _states(play, run, check)


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

    return _states(play, run, check)


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

    return _states(play, run, check)


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
        assert all(batch.state(i, without_memory=True).is_terminal() for i in range(PLAYOUTS))

    seeds = itertools.count(play.seed)  # other games each time, for the same reason as in PLAYOUTS
    return Work(batch.playout, PLAYOUTS, check, lambda: batch.reset(next(seeds)))


def _search_mcts(play: Midgame, title: str) -> Work:
    """Time simulations from the start of the game, each with a random playout to the end."""
    state = load(play.game.name, **play.workload.playouts[title]).new_state(play.seed)
    found: list[Any] = []
    seeds = itertools.count(play.seed)  # another search each time

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


@case("search evaluated/mcts", "simulation", "search", counted=True)
def _search_evaluated(play: Midgame) -> Work:
    """Time simulations of trees side by side whose leaves are evaluated outside: equal priors, values of 0."""
    game = play.game
    forest = MCTS(game, simulations=EVALUATED, considered=4, observe=("scalars",)).forest(TREES)
    priors = np.ones((TREES, game.num_slots, game.num_actions), np.float32)
    values = np.zeros((TREES, game.num_players), np.float32)

    def before() -> None:
        for tree, state in enumerate(play.states[:TREES]):
            forest.set_root(tree, state, seed=tree)

    def run() -> None:
        while (leaves := forest.collect()) is not None:
            forest.answer(priors[: len(leaves.trees)], values[: len(leaves.trees)])

    def check() -> None:
        visits = forest.visits().sum(axis=2)
        assert set(visits.max(axis=1).tolist()) <= {EVALUATED - 1, EVALUATED}  # the first one is the root itself

    return Work(run, EVALUATED * TREES, check, before, choose=play.choose)


def _playout_reference(play: Midgame, title: str) -> Work:
    """Time row 0 of the batch, played by the reference with the same draws."""
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
        assert same(played[0], batch.state(0, without_memory=True))

    return Work(run, 1, check)
