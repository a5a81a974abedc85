"""Callers whose objects run their own code while masume's C reads them, and objects that were never initialised."""

import pickle
import re
from collections.abc import Mapping

import numpy as np
import pytest

import masume
from callers import FOREST
from cases import GAMES
from masume.core import _batch, _game, _state
from masume.search import _alphabeta, _beam, _ending, _mcts


class Number:
    """Object that converts to an int and calls `deed` when it is converted."""

    def __init__(self, value, deed):
        self.value, self.deed = value, deed

    def __index__(self):
        self.deed()
        return self.value


@pytest.fixture
def kakomimasu():
    return masume.load("kakomimasu", width=4, height=4, n_agents=2)


# -- data that changes while it is read ----------------------------------------------------------------


def test_a_list_that_is_emptied_while_it_is_read_was_read_whole(kakomimasu):
    codes = [0] * kakomimasu.num_slots
    codes[0] = Number(0, codes.clear)
    state = kakomimasu.new_state()
    state.apply(codes)
    assert (state.played, codes) == (1, [])


def test_an_action_that_plays_one_itself_is_judged_by_the_position_that_it_leaves():
    state = masume.load("nezumi", stage="garden").new_state()
    first, second = state.legal_actions()[:2].tolist()
    twin = state.clone()
    state.apply(Number(second, lambda: state.apply(first)))
    twin.apply(first)
    twin.apply(second)
    assert state == twin


class Fresh(Mapping):
    """Mapping that returns new arrays each time, and records them."""

    def __init__(self, spec):
        self.spec, self.given = spec, []

    def __getitem__(self, name):
        shape, dtype = self.spec[name]
        self.given.append(np.zeros(shape, dtype))
        return self.given[-1]

    def __contains__(self, name):
        return name in self.spec

    def __iter__(self):
        return iter(self.spec)

    def __len__(self):
        return len(self.spec)


@pytest.mark.parametrize("name", GAMES)
def test_an_observation_is_written_into_the_arrays_that_the_mapping_gave(name):
    state = masume.load(name, **GAMES[name].SMALL).new_state(1)
    out = Fresh(state.game.observation_spec)
    assert state.observation(0, out) is out
    for found, wanted in zip(out.given, state.observation(0).values(), strict=True):
        assert np.array_equal(found, wanted)


def test_an_array_that_shrinks_while_others_are_asked_for_is_refused(kakomimasu):
    state = kakomimasu.new_state()
    own = state.observation(0)

    class Shrinking(dict):
        def __getitem__(self, name):
            own["planes"].resize(0, refcheck=False)
            return super().__getitem__(name)

    with pytest.raises(ValueError, match=r"^out\['planes'\]: expected float32\[9, 4, 4\], got float32\[0\]"):
        state.observation(0, Shrinking(own))


class Pretender(np.ndarray):
    """Array that misreports its shape and dtype."""

    shape = property(lambda self: (65,))
    dtype = property(lambda self: np.dtype(np.uint8))


def test_an_array_is_what_it_is_and_not_what_it_says(kakomimasu):
    array = np.zeros(1, np.float64).view(Pretender)
    with pytest.raises(ValueError, match=r"^out: "):
        kakomimasu.new_state().legal_mask(0, array)


# -- objects that were not initialised --------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_state_that_was_made_and_not_begun_is_a_start(name):
    game = masume.load(name, **GAMES[name].SMALL)
    kind = type(game.new_state())
    state = kind.__new__(kind, game)
    state.check()
    assert state == game.new_state(0)
    assert state.clone() == state


def test_a_state_of_no_game_is_refused():
    with pytest.raises(TypeError, match=r"^game: not a game yet"):
        _state.State(_game.Table.__new__(_game.Table))


def test_a_clone_that_is_something_else_is_refused(kakomimasu):
    class Other(type(kakomimasu.new_state())):
        def __new__(cls, game, *_):
            return _state.State.__new__(_state.State, masume.load("nezumi"))

    state = super(Other, Other).__new__(Other, kakomimasu)
    with pytest.raises(TypeError):
        state.clone()


@pytest.mark.parametrize("name", ["step", "sample_actions", "playout"])
def test_a_batch_that_was_made_and_not_begun_is_refused(name):
    with pytest.raises(RuntimeError, match="it has no arrays yet"):
        getattr(masume.Batch.__new__(masume.Batch), name)()


def test_what_the_engine_trusts_cannot_be_written(kakomimasu):
    batch = kakomimasu.batch(3)
    for array in (batch.states, batch.game_index):
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.flags.writeable = True
        assert isinstance(array.base, _batch.Block)
    with pytest.raises(ValueError, match=r"^view: "):
        _batch.Block(8).view(np.int64, (2,))
    with pytest.raises(ValueError, match=r"^view: "):
        _batch.Block(8).view(object, (1,))


# -- pickles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chaser", "battleship"])
@pytest.mark.parametrize(
    ("at", "value", "told"),
    [
        (2, b"short", "bytes: "),
        (1, ["a"], "history: "),
        (1, {0: 1}, "history: "),
        (3, (0, 1), "past: "),
        (3, (9, None, b"", (), None), "past: "),
    ],
)
def test_a_pickle_that_no_state_wrote_is_refused(name, at, value, told):
    state = masume.load(name, **GAMES[name].SMALL).new_state(3)
    restore, arguments = state.__reduce__()
    given = list(arguments)
    given[at] = value
    with pytest.raises(masume.StateError, match=f"^{told}"):
        restore(*given)


def test_a_past_without_end_is_read():
    """Reading a chain of samples of samples takes no additional C stack per sample."""
    state = masume.load("chaser", **GAMES["chaser"].SMALL).new_state(3)
    restore, (data, history, origin, past) = state.__reduce__()
    for _ in range(20_000):
        past = (0, state.game, origin, (), past)
    found = restore(data, history, origin, past)
    assert found.information_state(0) == state.information_state(0)


# -- searches -----------------------------------------------------------------------------------------------


def test_a_search_refuses_positions_of_other_games(kakomimasu):
    other = masume.load("nezumi", stage="garden").new_state()
    forest = _mcts.Forest(kakomimasu, 1, 1, 1 << 20, **FOREST)
    layers = _beam.Layers(kakomimasu, 2, 2, 2, 0.9, 0.5)
    ending = _ending.Ending(kakomimasu)
    ladder = _alphabeta.Ladder(other.game, 16)
    for game, call in (
        (kakomimasu, lambda: forest.set_root(0, other, 0, 0)),
        (kakomimasu, lambda: layers.set_root(other, 0, 0, np.zeros((0, 4), np.int32))),
        (kakomimasu, lambda: ending.run(other, 0, 0, 0)),
        (other.game, lambda: ladder.run(kakomimasu.new_state(), 1, 0)),
    ):
        with pytest.raises(ValueError, match=f"^state: expected one of {re.escape(repr(game))}, got one of "):
            call()


def test_a_search_refuses_what_is_no_part_of_it(kakomimasu):
    forest = _mcts.Forest(kakomimasu, 1, 1, 1 << 20, **FOREST)
    with pytest.raises(ValueError, match=r"^tree 0 has no root"):
        forest.run(1, 0)
    with pytest.raises(ValueError, match=r"^place: expected 0\.\.0, got 1"):
        forest.slots(1)
    with pytest.raises(ValueError, match=r"^player: expected 0\.\.1, got 2"):
        forest.set_root(0, kakomimasu.new_state(), 2, 0)
    with pytest.raises(ValueError, match=r"^num_entries: "):
        _alphabeta.Ladder(masume.load("nezumi"), 3)
    with pytest.raises(ValueError, match=r"^depth, width, widest: "):
        _beam.Layers(kakomimasu, 0, 1, 1, 0.9, 0.5)
    with pytest.raises(ValueError, match=r"^player: expected 0\.\.1, got 2"):
        _ending.Ending(kakomimasu).run(kakomimasu.new_state(), 2, 0, 0)


def test_an_evaluator_that_turns_to_the_search_is_refused(kakomimasu):
    state = kakomimasu.new_state()
    calls = []

    def evaluate(observations, movers):
        for call in (lambda: forest.set_root(0, state, 0, 0), lambda: forest.slots(0), lambda: forest.run(1, 0)):
            with pytest.raises((RuntimeError, ValueError), match=r"it is running|evaluator: expected"):
                call()
            calls.append(call)
        n = len(movers)
        return np.ones((n, 4, kakomimasu.num_actions)), np.zeros((n, 2))

    forest = _mcts.Forest(kakomimasu, 1, 1, 1 << 20, **(FOREST | {"leaves": 2}))
    forest.set_root(0, state, 0, 0)
    forest.run(10, 0, evaluate)
    assert len(calls) >= 3


# -- positions as values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_states_are_equal_where_positions_are(name):
    game = masume.load(name, **GAMES[name].SMALL)
    one, other = game.new_state(5), masume.load(name, **GAMES[name].SMALL).new_state(5)
    assert one == other == pickle.loads(pickle.dumps(one))
    assert one != "a state"
    legal = [int(one.legal_actions(slot)[-1]) for slot in range(len(one.slots))]
    one.apply(legal if game.num_slots > 1 else legal[0])
    assert one != other
    other.copy_from(one)
    assert one == other
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_states_of_other_configs_are_not_equal():
    assert (
        masume.load("nezumi", stage="garden").new_state() != masume.load("nezumi", stage="garden", turns=3).new_state()
    )


@pytest.mark.parametrize("name", GAMES)
def test_an_action_is_played_by_its_text(name):
    state = masume.load(name, **GAMES[name].SMALL).new_state(5)
    for _ in range(10):
        if state.is_terminal():
            break
        twin = state.clone()
        actions = [int(state.legal_actions(slot)[-1]) for slot in range(len(state.slots))]
        texts = [state.action_to_text(action, slot) for slot, action in enumerate(actions)]
        several = state.game.num_slots > 1
        state.apply(actions if several else actions[0])
        twin.apply(texts if several else texts[0])
        assert twin == state
    with pytest.raises(ValueError, match="no action"):
        state.apply(["no action"] * state.game.num_slots if state.game.num_slots > 1 else "no action")
