"""Recorded games replay to the same ends, with the masks and views of the states themselves."""

import numpy as np
import pytest

import masume
from masume.core import _playout
from masume.records.arrays import seeds_of
from toy import Counting

GAMES = [
    masume.load("kakomimasu", width=5, height=4, n_agents=2, n_players=3, total_turns=6, seed=3),
    masume.load("chaser", preset="contest", height=7, width=7, n_blocks=4, n_items=5, turn_limit=12),
    masume.load("nezumi"),
    masume.load("terraforming", max_turns=3),
    masume.load("battleship"),
    masume.load(Counting(length=5)),
    masume.load(Counting(length=5, exact=True, name=b"exact")),
    masume.load(Counting(length=4, units=2, name=b"together")),
]


def record(game, seeds):
    return _playout.record(game, seeds, np.zeros(game.num_players, np.int32))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_replay_is_what_the_states_give(game):
    seeds = seeds_of(1, np.arange(3))
    played = record(game, seeds)
    found = _playout.replay(game, seeds, played["length"], played["actions"], True, tuple(game.observation_spec))
    assert set(found) == {"player", "returns", "scores", "legal", *game.observation_spec}
    for name in ("player", "returns", "scores"):
        np.testing.assert_array_equal(found[name], played[name])
    ply = 0
    for seed, length in zip(seeds.tolist(), played["length"].tolist(), strict=True):
        state = game.new_state(seed)
        for _ in range(length):
            wanted = len(state.slots)
            bits = np.unpackbits(found["legal"][ply].view(np.uint8), axis=-1, bitorder="little")
            assert bits[:wanted, : game.num_actions].tolist() == [state.legal_mask(s).tolist() for s in range(wanted)]
            assert not bits[:wanted, game.num_actions :].any()
            assert not bits[wanted:].any()
            movers = range(game.num_players) if game.is_simultaneous else [state.current_player]
            for field in game.observation_spec:
                seen = found[field][ply] if game.is_simultaneous else found[field][ply][None]
                for view, player in zip(seen, movers, strict=True):
                    np.testing.assert_array_equal(view, state.observation(player)[field])
            actions = played["actions"][ply].tolist()
            state.apply(actions if game.num_slots > 1 else actions[0])
            ply += 1
        assert state.is_terminal()


def test_only_what_is_asked_for_comes_back():
    game = GAMES[0]
    seeds = seeds_of(1, np.arange(2))
    played = record(game, seeds)
    plain = _playout.replay(game, seeds, played["length"], played["actions"])
    assert set(plain) == {"player", "returns", "scores"}
    some = _playout.replay(game, seeds, played["length"], played["actions"], False, ("planes",))
    assert set(some) == {"player", "returns", "scores", "planes"}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_record_that_does_not_play_is_refused_by_game_and_ply(game):
    seeds = seeds_of(1, np.arange(3))
    played = record(game, seeds)
    lengths, actions = played["length"], played["actions"]
    row = lengths[0] + 1  # game 1, ply 1
    for action in (-1, 2**31, 2**40):
        changed = actions.copy()
        changed[row, 0] = action
        with pytest.raises(masume.ReplayError, match=f"^game 1, ply 1: slot 0: action {action} is not allowed$"):
            _playout.replay(game, seeds, lengths, changed)
    last = lengths - np.array([0, 0, 1])
    with pytest.raises(masume.ReplayError, match=f"^game 2: it goes on after the {last[2]} plies that are recorded$"):
        _playout.replay(game, seeds, last, actions[:-1])
    shifted = lengths + np.array([1, -1, 0])
    with pytest.raises(masume.ReplayError, match=f"^game 0, ply {lengths[0]}: the game is over, and {shifted[0]} "):
        _playout.replay(game, seeds, shifted, actions)


def test_a_slot_that_is_not_wanted_holds_no_action():
    game = masume.load(Counting(length=4, units=2, name=b"together"))
    seeds = seeds_of(1, np.arange(1))
    played = record(game, seeds)
    assert (played["actions"] >= 0).all()
    wide = np.concatenate([played["actions"], played["actions"][:, :1]], axis=1)
    with pytest.raises(ValueError, match=r"actions: expected int64\[4, 4\], got int64\[4, 5\]"):
        _playout.replay(game, seeds, played["length"], wide)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, np.zeros(2, np.int64), r"seeds: expected uint64\[2\], got int64\[2\]"),
        (1, np.full(2, 5, np.int32), r"lengths: expected int64\[2\], got int32\[2\]"),
        (1, np.array([10]), r"lengths: expected int64\[2\], got int64\[1\]"),
        (1, np.array([11, -1]), r"lengths: expected int64\[2\] of sum 10"),
        (1, np.array([5, 6]), r"lengths: expected int64\[2\] of sum 10, got one of sum 11"),
        (1, np.array([2**63 - 1, 2**63 - 1]) + np.array([0, 0]), r"lengths: expected int64\[2\] of sum 10"),
        (2, np.zeros((10, 1), np.int32), r"actions: expected int64\[10, 1\], got int32\[10, 1\]"),
    ],
)
def test_arrays_of_another_shape_are_refused(place, value, message):
    game = masume.load(Counting(length=5))
    seeds = seeds_of(1, np.arange(2))
    played = record(game, seeds)
    arguments = [seeds, played["length"], played["actions"]]
    arguments[place] = value
    with pytest.raises(ValueError, match=message):
        _playout.replay(game, *arguments)


# -- seeds without a start --------------------------------------------------------------------


def test_a_batch_refuses_a_seed_that_has_no_start():
    """A plug-in cannot refuse a seed itself: a start in which no player decides counts as no start."""
    empty = masume.load(Counting(length=0))
    with pytest.raises(masume.ConfigError, match=r"seed: counting has nothing to decide at the start of \d+"):
        empty.batch(3, observe=None)
    with pytest.raises(masume.ConfigError, match="seed: counting has nothing to decide at the start of 9"):
        record(empty, np.array([9], np.uint64))
