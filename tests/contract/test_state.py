"""Behaviour of every State, for all games."""

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.core import registry
from masume.core.rng import Rng, stream

ROOT = Path(__file__).parents[2]


def play(game, seed, plies=None):
    """Yield the state before each ply of a random game with the actions played, then the last state."""
    state, rng = game.new_state(seed), Rng(stream(seed, 99))
    while not state.is_terminal() and (plies is None or plies > 0):
        actions = [int((legal := state.legal_actions(slot))[rng.below(len(legal))]) for slot in range(len(state.slots))]
        yield state, actions
        state.apply(actions if game.num_slots > 1 else actions[0])
        plies = None if plies is None else plies - 1
    yield state, None


def positions(game, count=40):
    """Return distinct states along a few random games."""
    found = [state.clone() for seed in range(3) for state, _ in play(game, seed, count)]
    return found[:: max(1, len(found) // count)]


def test_every_game_is_listed():
    assert tuple(GAMES) == registry.own_names()


@pytest.mark.parametrize(("name", "fields"), [(name, fields) for name in GAMES for fields in GAMES[name].CASES])
def test_a_redrawn_game_has_another_start_and_the_same_rules(name, fields):
    """What a config draws from its seed is drawn from another; the other games draw in `new_state`."""
    game = masume.load(name, **fields)
    other = game.redrawn(5)
    assert other == game.redrawn(5)
    if other is game:
        return
    assert other.config == masume.load(name, **{**fields, "seed": 5}).config
    assert other.new_state() != game.redrawn(6).new_state()


def test_bytes_are_those_of_the_position_whatever_lay_in_the_memory_before():
    """Fresh memory differs between two processes: pymalloc's debug hooks fill it with 0xCD."""
    ask = """if True:
        import hashlib, sys
        sys.path.insert(0, "tests")
        import masume
        from cases import GAMES
        for name, cases in GAMES.items():
            for fields in cases.CASES:
                state = masume.load(name, **fields).new_state(1)
                data = state.to_bytes() + state.clone().to_bytes()
                print(name, hashlib.sha256(data).hexdigest())
    """
    plain, filled = (
        subprocess.run([sys.executable, "-c", ask], env=os.environ | more, cwd=ROOT, capture_output=True, text=True)
        for more in ({}, {"PYTHONMALLOC": "debug"})
    )
    assert plain.stdout == filled.stdout, plain.stderr + filled.stderr
    assert len(plain.stdout.splitlines()) == sum(len(cases.CASES) for cases in GAMES.values())


def test_spec_matches_what_is_given(game):
    state = game.new_state(1)
    for player in range(game.num_players):
        observation = state.observation(player)
        assert {name: (array.shape, array.dtype) for name, array in observation.items()} == game.observation_spec
    assert state.array.dtype == game.state_dtype
    assert state.array.dtype.itemsize == game.state_size
    assert len(state.to_bytes()) == game.state_size + game.memory_size
    assert not state.array.flags.writeable


def test_legal_actions_mask_and_codes_agree(game):
    for state in positions(game):
        for slot in range(len(state.slots)):
            actions, mask = state.legal_actions(slot), state.legal_mask(slot)
            assert mask.sum() == len(actions) >= 1
            codes = np.flatnonzero(mask)
            assert [state.encode(int(action)) for action in actions] == codes.tolist()
            assert [state.decode(int(code)) for code in codes] == actions.tolist()
            for code in np.flatnonzero(mask == 0)[:5]:
                action = state.decode(int(code))
                assert action == -1 or state.encode(action) == code


def test_text_of_every_legal_action_reads_back(game):
    for state in positions(game, 8):
        for slot in range(len(state.slots)):
            for action in state.legal_actions(slot):
                assert state.text_to_action(state.action_to_text(int(action), slot), slot) == action


def test_illegal_actions_change_nothing(game):
    for state in positions(game):
        before, memory = state.to_dict(), state.to_bytes()
        count = len(state.slots)
        if not count:
            continue
        legal = [int(state.legal_actions(slot)[0]) for slot in range(count)]
        for slot in {0, count - 1}:
            for bad in (-1, 2**31 - 1, 2**40, *np.flatnonzero(state.legal_mask(slot) == 0)[:3].tolist()):
                if bad < game.num_actions and state.decode(bad) != bad:
                    continue
                actions = [*legal[:slot], bad, *legal[slot + 1 :]]
                with pytest.raises(masume.IllegalActionError, match=str(bad)):
                    state.apply(actions if game.num_slots > 1 else bad)
        assert state.to_dict() == before
        assert state.to_bytes() == memory


def test_apply_refuses_what_is_no_action(game):
    state = game.new_state(0)
    before = state.to_bytes()
    for bad in (b"0", 1.5, None, True, [[0]], np.zeros(3), np.zeros((game.num_slots, 2), np.int32), {}):
        with pytest.raises(ValueError, match="action"):
            state.apply(bad)
    if game.num_slots > 1:
        right = np.zeros(game.num_slots, np.int32)
        wrong = [
            right.astype(np.int64),
            right.astype(">i4"),
            right[:-1],
            np.zeros(2 * game.num_slots, np.int32)[::2],
            [0],
            [True] * game.num_slots,
        ]
        for bad in wrong:
            with pytest.raises(ValueError, match="actions"):
                state.apply(bad)
    assert state.to_bytes() == before


def test_the_end(game):
    *_, (state, _) = play(game, 4)
    assert state.is_terminal()
    assert state.current_player == -2
    assert len(state.slots) == 0
    assert len(state.legal_actions()) == 0
    assert not state.legal_mask().any()
    returns = state.returns()
    assert returns.shape == (game.num_players,)
    assert np.abs(returns).max() <= 1
    before = state.to_bytes()
    with pytest.raises(masume.GameOverError):
        state.apply([0] * game.num_slots if game.num_slots > 1 else 0)
    assert state.to_bytes() == before
    if game.max_game_length:
        assert sum(1 for _ in play(game, 4)) - 1 <= game.max_game_length


def test_returns_are_zero_before_the_end(game):
    assert all(not state.returns().any() for state in positions(game) if not state.is_terminal())


def test_copies_are_equal_and_apart(game):
    for state in positions(game, 10):
        twins = [
            state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state)),
            game.state_from_bytes(state.to_bytes()), game.state_from_dict(json.loads(json.dumps(state.to_dict()))),
        ]  # fmt: skip
        other = game.new_state(0)
        other.copy_from(state)
        for twin in [*twins, other]:
            assert type(twin) is type(state)
            assert twin.to_dict() == state.to_dict()
            assert twin.key == state.key
            assert str(twin) == str(state)
            twin.check()
        if not state.is_terminal():
            before = state.to_bytes()
            for _, actions in play(game, 1, 1):
                if actions is not None:
                    legal = [int(other.legal_actions(slot)[-1]) for slot in range(len(other.slots))]
                    other.apply(legal if game.num_slots > 1 else legal[0])
            assert state.to_bytes() == before


def test_states_that_come_and_go_share_nothing(game):
    found = [state for state in positions(game, 10) if not state.is_terminal()]
    kept = []
    for k in range(300):  # more than the spare blocks kept per size
        state = found[k % len(found)].clone()
        wanted = state.to_bytes(), state.history
        if k % 3:
            kept.append((state, wanted))
        else:  # one that continues, and is released
            actions = [int(state.legal_actions(slot)[-1]) for slot in range(len(state.slots))]
            state.apply(actions if game.num_slots > 1 else actions[0])
            assert state.history is None or state.history == [*wanted[1], *actions]
        if k % 100 == 99:
            assert all((state.to_bytes(), state.history) == wanted for state, wanted in kept)
            del kept[::2]


def test_text_board_reads_back(game):
    for state in positions(game, 10):
        assert game.parse(str(state)).to_dict() == state.to_dict()


def test_copy_from_another_game_is_refused(game):
    other = masume.load("kakomimasu", width=3, height=3, total_turns=77).new_state()
    with pytest.raises(ValueError, match="other"):
        game.new_state().copy_from(other)


def test_keys_are_equal_exactly_where_positions_are(game):
    seen = {}
    for state in positions(game, 200):
        text = json.dumps(state.to_dict(), sort_keys=True)
        assert seen.setdefault(state.key, text) == text
    assert len(set(seen.values())) == len(seen)


def test_observation_writes_where_told(game):
    state = game.new_state(2)
    whole = state.observation(0)
    for name, (shape, dtype) in game.observation_spec.items():
        out = {name: np.full(shape, 99, dtype)}
        assert state.observation(0, out) is out
        assert np.array_equal(out[name], whole[name])
        if dtype.itemsize > 1:
            askew = np.zeros(int(np.prod(shape)) * dtype.itemsize + 1, np.uint8)[1:].view(dtype).reshape(shape)
            with pytest.raises(ValueError, match="aligned"):
                state.observation(0, {name: askew})
        for bad in (np.zeros((*shape, 1), dtype), np.zeros(shape, np.complex64), "x"):
            with pytest.raises(ValueError, match=name):
                state.observation(0, {name: bad})
        if shape and shape[-1] > 1:
            strided = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
            with pytest.raises(ValueError, match="contiguous"):
                state.observation(0, {name: strided})
        frozen = np.zeros(shape, dtype)
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="writable"):
            state.observation(0, {name: frozen})
    with pytest.raises(ValueError, match="nothing"):
        state.observation(0, {"nothing": np.zeros(1)})


def test_players_and_slots_out_of_range_are_named(game):
    state = game.new_state()
    for player in (-1, game.num_players, 2**40, True, "0"):
        with pytest.raises(ValueError, match="player"):
            state.observation(player)
    for slot in (-1, game.num_slots, 2**70, False, None):
        with pytest.raises(ValueError, match="slot"):
            state.legal_actions(slot)
        with pytest.raises(ValueError, match="slot"):
            state.legal_mask(slot)
    with pytest.raises(ValueError, match="out"):
        state.legal_mask(0, np.zeros(game.num_actions + 1, np.uint8))


def test_seeds_out_of_range_are_named(game):
    for seed in (-1, 2**64, 1.5, True, "1"):
        with pytest.raises(masume.ConfigError, match="seed"):
            game.new_state(seed)
    assert game.new_state(2**64 - 1).to_dict() == game.new_state(2**64 - 1).to_dict()


def test_bytes_and_dicts_that_are_no_position_are_refused(game):
    good = game.new_state(1).to_bytes()
    for bad in (b"", good[:-1], good + b"\0", b"\xff" * len(good), "text", None):
        with pytest.raises(masume.StateError):
            game.state_from_bytes(bad)
    variables = game.new_state(1).to_dict()
    for key in variables:
        for bad in (None, "x", [[[]]], {"a": 1}, -99999):
            with pytest.raises(masume.StateError, match=key):
                game.state_from_dict({**variables, key: bad})
        with pytest.raises(masume.StateError, match=key):
            game.state_from_dict({name: value for name, value in variables.items() if name != key})
    with pytest.raises(masume.StateError, match="surplus"):
        game.state_from_dict({**variables, "surplus": 1})
    for bad in (None, [], 5):
        with pytest.raises(masume.StateError):
            game.state_from_dict(bad)


def test_corrupt_bytes_never_crash(game):
    rng = Rng(7)
    states = positions(game, 10)
    accepted = 0
    for k in range(300):
        data = bytearray(states[k % len(states)].to_bytes())
        for _ in range(1 + rng.below(4)):
            data[rng.below(len(data))] = rng.below(256)
        try:
            state = game.state_from_bytes(bytes(data))
        except masume.StateError:
            continue
        accepted += 1
        state.check()
        assert game.state_from_dict(state.to_dict()).key == state.key
        for _ in play_on(state, rng, 3):
            state.check()
    assert accepted < 300


def play_on(state, rng, plies):
    """Play some random plies on this state."""
    for _ in range(plies):
        if state.is_terminal():
            return
        actions = [int((legal := state.legal_actions(slot))[rng.below(len(legal))]) for slot in range(len(state.slots))]
        state.apply(actions if len(actions) > 1 or state.game.num_slots > 1 else actions[0])
        yield state


def test_the_repr_of_a_game_leaves_its_start_out(game, name):
    starts = masume.load(name).package.starts
    for start in starts.load_shipped().values():
        started = masume.load(name, **{starts.KIND: start})
        assert starts.KIND not in repr(started)
        assert "points" not in repr(started)
        assert len(repr(started)) < 200


def test_game_is_a_value(game, name, fields):
    same = masume.load(name, **fields)
    assert same == game
    assert hash(same) == hash(game)
    assert pickle.loads(pickle.dumps(game)) == game
    assert game != masume.load("kakomimasu", width=2, height=9, total_turns=5)
    assert name in repr(game)
    for attribute in ("config", "name", "foo"):
        with pytest.raises(AttributeError):
            setattr(game, attribute, None)
        with pytest.raises(AttributeError):
            delattr(game, attribute)
    with pytest.raises(TypeError):
        del game.observation_spec["planes"]


def test_pictures_do_not_change_the_state(game):
    state = game.new_state(1)
    before = state.to_bytes()
    assert state._repr_svg_().startswith("<svg")
    assert str(state)
    assert state.to_bytes() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_after_threads_works(game):
    batch = game.batch(64, threads=2, observe=None, masks=False)
    batch.playout()
    child = os.fork()
    if child == 0:
        batch.reset(seed=0)
        os._exit(0 if batch.playout() > 0 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    batch.reset(seed=0)
    assert batch.playout() > 0
