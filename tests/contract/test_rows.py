"""Rows of a Batch as States, and States as rows, for all games: with what their players have seen."""

import pickle

import numpy as np
import pytest

import masume
from cases import GAMES
from snapshots import FIELDS, assert_same, snapshot

ROWS = 4


def follow(game, seed, plies):
    """Play random games in a batch and as States; yield the batch and the States after each ply, and at the start."""
    batch = game.batch(ROWS, seed=seed, autoreset="disabled")
    states = [game.new_state(int(number)) for number in batch.seeds]
    yield batch, states
    for _ in range(plies):
        if batch.terminated.all():
            return
        batch.sample_actions()
        play(states, batch.actions)
        batch.step()
        yield batch, states


def play(states, codes):
    """Play a row of codes in each State that goes on."""
    for state, row in zip(states, codes.tolist(), strict=True):
        actions = [state.decode(code) for code, _ in zip(row, state.slots, strict=False)]
        if actions:
            state.apply(actions if state.game.num_slots > 1 else actions[0])


def assert_shows(batch, i, states):
    """The State of row i equals all of these, for every player; so does the row, for those whom it shows."""
    found = batch.state(i)
    assert all(found == state for state in states)
    game, over = found.game, found.is_terminal()
    for player in range(game.num_players):
        view = found.observation(player)
        for state in states:
            for name, array in state.observation(player).items():
                assert view[name].tobytes() == array.tobytes(), name
        if game.is_simultaneous or player == (0 if over else found.current_player):
            for name in FIELDS:
                shown = batch.observations[name][i]
                assert np.array_equal(shown[player] if game.is_simultaneous else shown, view[name]), name


def assert_keeps_views(game, seed, plies):
    """After each ply of ROWS games, the States of rows equal States that played the same actions."""
    plies = min(plies, game.max_game_length or plies)
    for batch, states in follow(game, seed, plies):
        for i, state in enumerate(states):
            assert_shows(batch, i, [state])
        if not game.is_simultaneous:
            for player in range(game.num_players):
                batch.look(np.full(ROWS, player, np.int8))
                for i, state in enumerate(states):
                    for name in FIELDS:
                        assert np.array_equal(batch.observations[name][i], state.observation(player)[name]), name
            batch.look(np.maximum(batch.current_player, 0))  # as a step leaves it, also where the game is over


def test_the_state_of_a_row_has_what_its_players_have_seen(game):
    for seed in range(2):
        assert_keeps_views(game, seed, 40)


@pytest.mark.slow
def test_the_states_of_thousands_of_games_have_what_their_players_have_seen(game):
    for seed in range(100, 100 + 400 // ROWS):
        assert_keeps_views(game, seed, 400)


def test_the_state_of_a_row_is_a_copy(game):
    batch = game.batch(2, seed=1)
    state = batch.state(np.int64(1))
    before = state.to_bytes()
    batch.sample_actions()
    batch.step()
    assert state.to_bytes() == before != batch.state(1).to_bytes()
    play([state], batch.actions[1:])
    assert state == batch.state(1)
    assert state.history == (None if game.is_perfect_information else [state.decode(int(batch.actions[1, 0]))])
    for row in (-1, 2, 0.0, True, None, "0"):
        with pytest.raises(masume.ConfigError, match="row: expected"):
            batch.state(row)


def test_bytes_without_what_the_players_have_seen_are_refused(game):
    batch, blind = (game.batch(2, seed=3, observe=observe) for observe in (FIELDS, None))
    keeping = game.batch(2, seed=3, observe=None, memory=True)
    for one in (batch, blind, keeping):
        one.sample_actions()
        one.step()
    assert keeping.state(1) == batch.state(1)
    row = batch.states[1].tobytes()
    alone = game.state_from_bytes(row, without_memory=True)
    assert alone.to_bytes()[: game.state_size] == row == blind.states[1].tobytes()
    assert alone == batch.state(1, without_memory=True) == blind.state(1, without_memory=True)
    if game.memory_size == 0:
        assert game.state_from_bytes(row) == alone == batch.state(1) == blind.state(1)
        return
    with pytest.raises(masume.StateError, match=f"{game.state_size + game.memory_size}, got {len(row)}, as what"):
        game.state_from_bytes(row)
    with pytest.raises(masume.StateError, match=f"bytes: expected {game.state_size}, got"):
        game.state_from_bytes(batch.state(1).to_bytes(), without_memory=True)
    with pytest.raises(masume.StateError, match="what the players have seen is missing"):
        game.restore_state(row, [], row, None)
    with pytest.raises(masume.StateError, match="row: the batch does not keep what players"):
        blind.state(1)
    with pytest.raises(masume.ConfigError, match="memory: expected True or False, got 1"):
        game.batch(2, memory=1)


def positions(game):
    """Return States of random games: starts, positions, ends."""
    most = game.max_game_length or 300
    return [states[0].clone() for plies in (0, 1, 5, most // 2, most) for *_, (_, states) in [follow(game, 50, plies)]]


def assert_shows_all(batch, rows, states):
    """The rows show what the States hold."""
    for i, state in zip(rows, states, strict=True):
        assert batch.state(i) == state
        assert batch.current_player[i] == state.current_player
        for slot in range(batch.game.num_slots):
            bits = batch.masks_packed[i, slot].view(np.uint8)
            mask = np.unpackbits(bits, bitorder="little")[: batch.game.num_actions]
            assert np.array_equal(mask, state.legal_mask(slot))
        viewers = range(batch.game.num_players) if batch.game.is_simultaneous else [max(0, state.current_player)]
        for view, player in enumerate(viewers):
            seen = state.observation(player, dtype="uint8")
            for name, array in batch.observations.items():
                assert np.array_equal(array[i, view] if batch.game.is_simultaneous else array[i], seen[name]), name


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rewards", ["returns", "score"])
def test_a_loaded_game_goes_on_as_its_state(game, rewards, threads):
    """Rows show the States at once, and each step is theirs; the other rows are left alone."""
    options = {"rewards": rewards, "masks": "packed", "dtype": "uint8", "autoreset": "disabled"}
    states = positions(game)
    batch = game.batch(40, seed=8, threads=threads, **options)
    rows = np.arange(2, 2 + len(states))[::-1]
    batch.sample_actions()
    batch.step()
    before = snapshot(batch)
    batch.load(rows, states)
    assert_shows_all(batch, rows, states)
    after = snapshot(batch)
    assert not after["rewards"][rows].any()
    assert after["terminated"][rows].tolist() == [state.is_terminal() for state in states]
    for name, array in after.items():
        assert np.delete(array, rows, 0).tobytes() == np.delete(before[name], rows, 0).tobytes(), name
    for _ in range(6):
        starts = [(state.scores(), state.is_terminal()) for state in states]
        batch.sample_actions()
        play(states, batch.actions[rows])
        batch.step()
        assert_shows_all(batch, rows, states)
        for i, state, (score, was_over) in zip(rows, states, starts, strict=True):
            gained = state.scores() - score if rewards == "score" else state.returns()
            assert np.array_equal(batch.rewards[i], 0 * gained if was_over else gained)
            assert batch.terminated[i] == state.is_terminal()


def test_a_row_draws_as_if_nothing_had_been_loaded(game):
    """A row whose own State is loaded goes on as it would have, into its next games; a game's draws are its State's."""
    batch, twin = (game.batch(3, seed=4) for _ in range(2))
    for _ in range(min(200, 2 * (game.max_game_length or 200))):
        for one in (batch, twin):
            one.sample_actions()
            one.step()
        assert_same(snapshot(batch), snapshot(twin))
        batch.load([2, 0], [batch.state(2), batch.state(0)])
    other = game.batch(1, seed=99)
    other.load([0], [batch.state(1)])
    assert other.seeds[0] == game.batch(1, seed=99).seeds[0]
    for _ in range(30):
        if other.state(0).is_terminal() or other.terminated[0]:
            break
        batch.sample_actions()
        other.step(batch.actions[1:2])
        batch.step()
        if not batch.terminated[1]:
            assert other.state(0) == batch.state(1)


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_after_a_loaded_end_the_row_starts_its_next_game(game, autoreset):
    batch, twin = (game.batch(2, seed=6, autoreset=autoreset) for _ in range(2))
    end = positions(game)[-1]
    assert end.is_terminal()
    batch.load([1], [end])
    assert batch.current_player[1] == -2
    assert batch.terminated.tolist() == [False, True]
    batch.sample_actions()
    batch.step()
    twin.reset(mask=np.array([False, True]))
    assert batch.seeds[1] == twin.seeds[1]
    assert batch.state(1) == game.new_state(int(batch.seeds[1]))
    assert batch.stats()["games"] == int(batch.terminated[0])  # the loaded end is not counted


def test_a_state_of_several_games_goes_to_its_own(game, name, fields):
    varied = getattr(GAMES[name], "VARIED", "seed")
    others = [masume.load(name, **{**fields, varied: value}) for value in (77, 78)]
    batch = masume.Batch([game, *others], 4, seed=4)
    states = [pickle.loads(pickle.dumps(others[k % 2].new_state(k))) for k in range(3)]
    batch.load([3, 1, 0], states)
    assert batch.game_index[[3, 1, 0]].tolist() == [1, 2, 1]
    for i, state in zip([3, 1, 0], states, strict=True):
        assert batch.state(i) == state
        assert batch.state(i).game == state.game


def test_what_cannot_be_loaded_changes_nothing(game):
    batch = game.batch(3, seed=2)
    batch.sample_actions()
    batch.step()
    before = snapshot(batch)
    state = game.new_state(1)
    other = masume.load("nezumi" if game.name == "chaser" else "chaser").new_state()
    for rows, states, match in (
        ([0, 1], [state, other], r"states\[1\]: expected a state of .*, got one of"),
        ([0, 1], [state, None], r"states\[1\]: expected a State, got NoneType"),
        ([0, 1], [state], "states: expected 2, one for each row, got 1"),
        ([0, 3], [state, state], r"rows: expected 0..2, got 3"),
        ([0, -1], [state, state], r"rows: expected 0..2, got -1"),
        ([1, 1], [state, state], "rows: expected each row once"),
        (np.array([2**64 - 1], np.uint64), [state], f"rows: expected 0..2, got {2**64 - 1}"),
        ([0.0], [state], "rows: expected an int, got 0.0"),
        (np.array([True]), [state], "rows: expected an int, got"),
        ([[0]], [state], "rows: expected an int, got"),
        (0, [state], "rows: expected a sequence of ints, got 0"),
        ([0], state, "states: expected a sequence of States, got <"),
    ):
        with pytest.raises(ValueError, match=match):
            batch.load(rows, states)
        assert_same(snapshot(batch), before)
    batch.load([], [])
    assert_same(snapshot(batch), before)
