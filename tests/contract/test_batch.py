"""Behaviour of every Batch, for all games."""

import copy
import pickle

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.core.rng import Rng, stream
from snapshots import FIELDS, assert_same, snapshot


def run(batch, steps):
    """Play at random; return a snapshot after each step."""
    for _ in range(steps):
        batch.sample_actions()
        batch.step()
        yield snapshot(batch)


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_a_batch_is_the_game_played_one_by_one(game, autoreset):
    """Rows, rewards, masks and observations equal those of States with the draws of design section 7."""
    n, seed = 3, 11
    batch = game.batch(n, seed=seed, autoreset=autoreset, final_observations=True)
    rngs = [Rng(stream(seed, i)) for i in range(n)]
    seeds = [rng.next() >> 1 for rng in rngs]
    states = [game.new_state(s) for s in seeds]
    for _ in range(min(40, 2 * (game.max_game_length or 40))):
        batch.sample_actions()
        batch.step()
        for i, state in enumerate(states):
            finished = state.is_terminal()
            ended, returns = False, np.zeros(game.num_players, np.float32)
            codes = []
            for slot in range(len(state.slots)):
                legal = np.flatnonzero(state.legal_mask(slot))
                codes.append(int(legal[rngs[i].below(len(legal))]))
            if not finished:
                assert batch.actions[i, : len(codes)].tolist() == codes
                actions = [state.decode(code) for code in codes]
                state.apply(actions if game.num_slots > 1 else actions[0])
                ended, returns = state.is_terminal(), state.returns()
            assert np.array_equal(batch.rewards[i], returns)
            assert batch.terminated[i] == (ended or (finished and autoreset == "disabled"))
            if ended:
                for player in range(game.num_players):
                    for name, array in state.observation(player).items():
                        if name in FIELDS:
                            assert np.array_equal(batch.final_observations[name][i, player], array)
            if (ended and autoreset == "same_step") or (finished and autoreset == "next_step"):
                seeds[i] = rngs[i].next() >> 1
                state = states[i] = game.new_state(seeds[i])
            assert batch.seeds[i] == seeds[i]
            assert batch.states[i].tobytes() == state.to_bytes()[: game.state_size]
            assert batch.current_player[i] == state.current_player
            for slot in range(game.num_slots):
                assert np.array_equal(batch.masks[i, slot], state.legal_mask(slot))
            viewers = range(game.num_players) if game.is_simultaneous else [max(0, state.current_player)]
            for name in FIELDS:
                seen = batch.observations[name][i]
                for view, player in enumerate(viewers):
                    assert np.array_equal(seen[view] if game.is_simultaneous else seen, state.observation(player)[name])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_row_does_not_depend_on_the_others(game, threads):
    seed, n, steps = 5, 70, 12
    options = {"seed": seed, "final_observations": True, "rewards": "score"}
    whole = list(run(game.batch(n, threads=threads, **options), steps))
    for i in (0, 1, 33, n - 1):
        part = run(game.batch(i + 1, **options), steps)
        for left, right in zip(whole, part, strict=True):
            assert_same({k: v[i] for k, v in left.items()}, {k: v[i] for k, v in right.items()})


def test_several_games_in_one_batch(game, name, fields):
    """Each new game draws its config, then its seed, from the row's generator. [design section 7]"""
    varied = getattr(GAMES[name], "VARIED", "seed")
    games = [game, *(masume.load(name, **{**fields, varied: value}) for value in (77, 78))]
    batch = masume.Batch(games, 12, seed=4, autoreset="disabled")
    for i in range(12):
        rng = Rng(stream(4, i))
        drawn = rng.below(3)
        seed = rng.next() >> 1
        assert batch.game_index[i] == drawn
        assert batch.seeds[i] == seed
        state = games[drawn].new_state(seed)
        assert batch.states[i].tobytes() == state.to_bytes()[: game.state_size]
        for field, array in state.observation(0).items():
            if field in FIELDS and (game.is_simultaneous or state.current_player == 0):
                seen = batch.observations[field][i]
                assert np.array_equal(seen[0] if game.is_simultaneous else seen, array)
    assert len(set(batch.game_index.tolist())) == 3
    for _ in run(batch, 3):
        pass
    with pytest.raises(ValueError, match="game"):
        masume.Batch([game, masume.load("kakomimasu", width=9, height=2, n_agents=1)], 3)
    with pytest.raises(ValueError, match="game"):
        masume.Batch([], 3)


def test_one_thread_equals_two(game):
    one, two = (game.batch(200, seed=3, threads=threads, masks="packed", final_observations=True) for threads in (1, 2))
    for left, right in zip(run(one, 10), run(two, 10), strict=True):
        assert_same(left, right)
    assert one.playout() == two.playout()
    assert_same(snapshot(one), snapshot(two))
    for name, value in one.stats().items():
        assert np.array_equal(value, two.stats()[name])


def test_packed_masks_are_the_masks(game):
    plain, packed = game.batch(9, seed=2), game.batch(9, seed=2, masks="packed")
    for left, right in zip(run(plain, 8), run(packed, 8), strict=True):
        bits = np.unpackbits(right["masks_packed"].view(np.uint8), axis=-1, bitorder="little")
        assert np.array_equal(bits[..., : game.num_actions], left["masks"])
        assert not bits[..., game.num_actions :].any()


def test_score_rewards_add_up_to_the_scores(game):
    batch = game.batch(6, seed=9, rewards="score", autoreset="disabled")
    start = np.array([game.new_state(int(seed)).scores() for seed in batch.seeds])
    total = np.zeros((6, game.num_players))
    for step in run(batch, min(80, game.max_game_length or 80)):
        total += step["rewards"]
    for i in range(6):
        state = batch.state(i)
        assert (start[i] + total[i]).tolist() == state.scores().tolist()


def test_playout_is_random_play_to_the_end(game):
    batch, twin = game.batch(5, seed=21, autoreset="disabled"), game.batch(5, seed=21, autoreset="disabled")
    plies = batch.playout()
    count = 0
    while not twin.terminated.all():
        count += int((twin.current_player != -2).sum())
        twin.sample_actions()
        twin.step()
    assert batch.terminated.all()
    assert plies == count >= 5
    assert batch.states.tobytes() == twin.states.tobytes()
    assert np.array_equal(batch.rewards, [twin.state(i).returns() for i in range(5)])
    assert batch.stats()["games"] == 5
    assert batch.stats()["mean_length"] == plies / 5
    assert batch.playout() == 0
    before = batch.seeds.copy()
    batch.reset()
    assert not batch.terminated.any()
    assert (batch.seeds != before).all()


def test_a_reset_starts_the_chosen_rows_anew(game):
    batch = game.batch(4, seed=1)
    start = snapshot(batch)
    for _ in run(batch, 3):
        pass
    played = snapshot(batch)
    batch.reset(seed=1, mask=np.array([True, False, True, False]))
    for name, array in snapshot(batch).items():
        if name in ("actions",):
            continue
        assert array[0].tobytes() == start[name][0].tobytes(), name
        assert array[1].tobytes() == played[name][1].tobytes(), name


def test_a_step_plays_only_where_the_mask_says(game):
    """Rows outside the mask keep every array and draw nothing; the others proceed as if alone."""
    batch, twin = (game.batch(4, seed=3, final_observations=True) for _ in range(2))
    mask = np.array([True, False, True, False])
    for _ in range(5):
        before = snapshot(batch)
        batch.sample_actions(mask=mask)
        batch.step(mask=mask)
        (after,) = run(twin, 1)
        for name, array in snapshot(batch).items():
            assert array[mask].tobytes() == after[name][mask].tobytes(), name
            assert array[~mask].tobytes() == before[name][~mask].tobytes(), name
    for expected, played in zip(run(game.batch(4, seed=3), 5), run(batch, 5), strict=True):
        for name in ("states", "actions", "rewards", "seeds"):
            assert expected[name][~mask].tobytes() == played[name][~mask].tobytes(), name


@pytest.mark.parametrize(
    "options",
    [
        {"masks": "packed"},
        {"autoreset": "disabled", "rewards": "score", "masks": False},
        {"autoreset": "next_step", "on_illegal": "fallback"},
    ],
)
def test_a_step_of_all_rows_is_that_of_each(game, options):
    """Games may step many rows at a time: here several groups of rows, with ends and illegal codes among them."""
    together, each = (game.batch(70, seed=3, observe=None, **options) for _ in range(2))
    all_rows = np.ones(70, np.bool_)
    for step in range(14):
        outcomes = []
        for batch, mask in ((together, None), (each, all_rows)):
            batch.sample_actions()
            batch.actions[step::13] = -1
            try:
                batch.step(mask=mask)
            except masume.IllegalActionError as error:
                outcomes.append(str(error))
        assert outcomes[1:] == outcomes[:1]
        assert_same(snapshot(together), snapshot(each))
    np.testing.assert_equal(together.stats(), each.stats())


def test_look_shows_what_another_player_sees(game):
    batch = game.batch(6, seed=5, autoreset="disabled")
    states = [game.new_state(int(seed)) for seed in batch.seeds]
    players = np.array([i % game.num_players for i in range(6)], np.int8)
    if game.is_simultaneous:
        with pytest.raises(ValueError, match="every player's view already"):
            batch.look(players)
        return
    for _ in range(12):
        before = {name: array.copy() for name, array in batch.observations.items()}
        mask = np.array([i % 3 != 0 for i in range(6)])
        batch.look(players, mask)
        for i, state in enumerate(states):
            seen = state.observation(int(players[i]))
            for name, array in batch.observations.items():
                assert np.array_equal(array[i], seen[name] if mask[i] else before[name][i])
        others = {name: np.full_like(array, 1) for name, array in batch.observations.items()}
        batch.look(players, mask, others)
        for name, array in others.items():
            assert np.array_equal(array[:4], batch.observations[name][mask])
            assert (array[4:] == 1).all()
        batch.sample_actions()
        for i, state in enumerate(states):
            if not state.is_terminal():
                state.apply(state.decode(int(batch.actions[i, 0])))
        batch.step()
    others = {name: np.zeros_like(array) for name, array in batch.observations.items()}
    batch.look(players, out=others)
    for i, state in enumerate(states):
        for name, seen in state.observation(int(players[i])).items():
            assert np.array_equal(others[name][i], seen) if name in others else name not in batch.observations
    with pytest.raises(ValueError, match=r"out\['planes'\]"):
        batch.look(players, out=others | {"planes": others["planes"][:5]})
    with pytest.raises(ValueError, match=r"out\['"):
        batch.look(players, out={})
    for bad in (-1, game.num_players):
        with pytest.raises(ValueError, match=f"players: expected .*, got {bad} of game 2"):
            batch.look(np.array([0, 0, bad, 0, 0, 0], np.int8))
    with pytest.raises(ValueError, match="players"):
        batch.look(players.astype(np.int64))


def test_an_end_may_be_left_unseen(game):
    seen, unseen = (game.batch(4, seed=2, autoreset="disabled") for _ in range(2))
    unseen.skips_ends = True
    while (seen.current_player != -2).any():
        before = snapshot(unseen)
        for batch in (seen, unseen):
            batch.sample_actions()
            batch.step()
        for name, array in snapshot(seen).items():
            shown = before if name == "masks" or name in seen.observations else snapshot(unseen)
            other = np.where((seen.current_player == -2).reshape(-1, *[1] * (array.ndim - 1)), shown[name], array)
            assert np.array_equal(snapshot(unseen)[name], other), name


def test_exact_actions_are_played_as_their_codes_are(game):
    codes, exact = (game.batch(4, seed=6, on_illegal="fallback") for _ in range(2))
    if not game.has_exact_actions:
        with pytest.raises(ValueError, match=f"exact: the actions of {game.name} are codes"):
            exact.step(exact=np.zeros(4, np.int64))
        return
    with pytest.raises(ValueError, match="exact: actions are given too"):
        exact.step(exact.actions, exact=np.zeros(4, np.int64))
    with pytest.raises(ValueError, match="exact: expected int64"):
        exact.step(exact=np.zeros(4, np.int32))
    for _ in range(40):
        for batch in (codes, exact):
            batch.sample_actions()
        states = [codes.state(i) for i in range(4)]
        actions = [state.decode(int(code)) for state, code in zip(states, codes.actions[:, 0], strict=True)]
        codes.actions[3] = actions[3] = -1  # not an action: the neutral one is played
        codes.step()
        exact.step(exact=np.array(actions))
        assert codes.stats()["fallbacks"] == exact.stats()["fallbacks"]
        for name, array in snapshot(codes).items():
            if name != "actions":
                assert np.array_equal(snapshot(exact)[name], array), name


def test_an_illegal_action_is_not_reported_twice(game):
    batch = game.batch(2, seed=1)
    batch.sample_actions()
    batch.actions[0, -1] = -1
    with pytest.raises(masume.IllegalActionError, match="game 0:"):
        batch.step()
    batch.sample_actions()
    batch.step(mask=np.array([False, True]))


def test_actions_may_be_given(game):
    left, right = (game.batch(5, seed=4, autoreset="disabled") for _ in range(2))  # only `left` draws
    for _ in range(5):
        left.sample_actions()
        left.step()
        right.step(left.actions.copy())
        assert left.states.tobytes() == right.states.tobytes()


@pytest.mark.parametrize("code", ["the next", -1, -(2**31), 2**31 - 1])
def test_illegal_actions_stop_only_their_games(game, code):
    batch = game.batch(4, seed=6)
    batch.sample_actions()
    twin = game.batch(4, seed=6)
    twin.sample_actions()
    batch.actions[2, -1] = game.num_actions if code == "the next" else code
    before = batch.states[2].tobytes()
    with pytest.raises(masume.IllegalActionError, match="game 2:"):
        batch.step()
    twin.step()
    assert batch.states[2].tobytes() == before
    assert not batch.rewards[2].any()
    for i in (0, 1, 3):
        assert batch.states[i].tobytes() == twin.states[i].tobytes()


def test_fallback_replaces_illegal_actions_and_counts_them(game):
    batch = game.batch(3, seed=6, on_illegal="fallback")
    batch.sample_actions()
    batch.actions[1, 0] = -5
    batch.actions[2] = game.num_actions + 7
    state = game.new_state(int(batch.seeds[2]))
    codes = [state.fallback(slot) for slot in range(len(state.slots))]
    state.apply(codes if game.num_slots > 1 else state.decode(codes[0]))
    batch.step()
    assert batch.stats()["fallbacks"] == 1 + game.num_slots
    if not state.is_terminal():
        assert batch.states[2].tobytes() == state.to_bytes()[: game.state_size]


def test_fallback_wants_a_slot_that_decides(game):
    state = game.new_state(3)
    with pytest.raises(ValueError, match="slot"):
        state.fallback(game.num_slots)
    while not state.is_terminal():
        codes = [state.fallback(slot) for slot in range(len(state.slots))]
        assert all(state.legal_mask(slot)[code] for slot, code in enumerate(codes))
        state.apply(codes if game.num_slots > 1 else state.decode(codes[0]))
        if (game.max_game_length or 0) == 0:
            return  # neutral actions never end this game
    with pytest.raises(ValueError, match="nothing to decide"):
        state.fallback()


def test_buffers_of_the_caller_are_used(game):
    spec = game.observation_spec
    views = (4, game.num_players) if game.is_simultaneous else (4,)
    own = {
        "planes": np.full((*views, *spec["planes"][0]), 7, spec["planes"][1]),
        "rewards": np.full((4, game.num_players), 7, np.float32),
        "masks": np.zeros((4, game.num_slots, game.num_actions), np.uint8),
        "actions": np.zeros((4, game.num_slots), np.int32),
        "terminated": np.zeros(4, bool),
        "seeds": np.zeros(4, np.uint64),
        "current_player": np.zeros(4, np.int8),
    }
    batch, twin = game.batch(4, seed=8, buffers=own), game.batch(4, seed=8)
    for _, expected in zip(run(batch, 4), run(twin, 4), strict=True):
        assert batch.observations["planes"] is own["planes"]
        for name, array in own.items():
            assert array.tobytes() == expected[name].tobytes()


def test_bad_buffers_are_named(game):
    shape = (4, game.num_players)
    bad = {
        "rewards": [
            np.zeros(shape),
            np.zeros((3, 2), np.float32),
            [0.0],
            np.zeros((4, 2 * shape[1]), np.float32)[:, ::2],
        ],
        "masks_packed": [np.zeros(1, np.uint32)],
        "states": [np.zeros(4, np.uint8)],
        "nothing": [np.zeros(4)],
    }
    for name, arrays in bad.items():
        for array in arrays:
            with pytest.raises(ValueError, match=name):
                game.batch(4, buffers={name: array})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("size", 0), ("size", True), ("size", 1.5), ("seed", -1), ("threads", -1), ("threads", 5000),
        ("autoreset", "never"), ("observe", ("nothing",)), ("masks", "half"), ("rewards", "money"),
        ("observe", "planes"), ("observe", 5), ("masks", None),
        ("on_illegal", "stay"),
    ],
)  # fmt: skip
def test_bad_options_are_named(game, option, value):
    options = {"size": 2, option: value}
    with pytest.raises(masume.ConfigError, match=option):
        game.batch(options.pop("size"), **options)


def test_buffers_that_overlap_or_lie_askew_are_named(game):
    views = (4, game.num_players) if game.is_simultaneous else (4,)
    shape = (*views, *game.observation_spec["planes"][0])
    both = np.zeros(4, np.uint8)
    with pytest.raises(ValueError, match="terminated and current_player overlap"):
        game.batch(4, buffers={"terminated": both.view(np.bool_), "current_player": both.view(np.int8)})
    block = np.zeros(int(np.prod(shape)) * 4 + 1, np.uint8)
    with pytest.raises(ValueError, match=r"planes.*aligned"):
        game.batch(4, buffers={"planes": block[1:].view(np.float32).reshape(shape)})


def test_bad_actions_are_named(game):
    batch = game.batch(3, seed=1)
    before = batch.states.tobytes()
    right = batch.actions
    for bad in (
        right.astype(np.int64), right[:2], right.tolist(), np.zeros((3, 2 * game.num_slots), np.int32)[:, ::2],
        np.zeros(3, np.int32)[:2], right.astype(">i4"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="actions"):
            batch.step(bad)
    for bad in (np.ones(2, bool), np.ones(3, np.uint8), [True] * 3):
        for call in (batch.reset, batch.step, batch.sample_actions):
            with pytest.raises((ValueError, TypeError), match="mask"):
                call(mask=bad)
    assert batch.states.tobytes() == before


def test_a_resized_buffer_is_refused(game):
    own = np.zeros((4, game.num_players), np.float32)
    batch = game.batch(4, seed=8, buffers={"rewards": own})
    batch.sample_actions()
    own.resize((4000, game.num_players), refcheck=False)
    before = batch.states.tobytes()
    for call in (batch.step, batch.sample_actions, batch.playout, batch.reset):
        with pytest.raises(ValueError, match="resized"):
            call()
    assert batch.states.tobytes() == before


def test_states_are_a_read_only_view(game):
    batch = game.batch(2)
    assert batch.states.dtype == game.state_dtype
    with pytest.raises(ValueError, match="WRITEABLE"):
        batch.states.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        batch.states[0] = batch.states[1]
    assert len(batch) == 2
    assert game.name in repr(batch)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
@pytest.mark.parametrize(
    "options",
    [
        {"observe": None, "masks": "packed", "rewards": "score"},
        {"final_observations": True, "threads": 2, "autoreset": "next_step", "on_illegal": "fallback"},
        {"autoreset": "disabled", "masks": False},
    ],
)
def test_a_copy_plays_on_as_its_original(game, how, options):
    """Everything that a batch reports is equal, now and after further steps."""
    batch = game.batch(6, seed=4, **options)

    def go_on(batch, steps):
        for k in range(steps):
            batch.sample_actions()
            if k % 5 == 1:
                batch.actions[k % 6] = -1 if batch._options["on_illegal"] == "fallback" else batch.actions[k % 6]
            batch.step()
            if k == 30:
                batch.reset(None, batch.terminated)

    def arrays(batch):
        return {name: array.tobytes() for part in ("arrays", "finals") for name, array in batch._save()[part].items()}

    go_on(batch, 40)
    other = how(batch)
    assert other.game == game
    assert (other.pool is None) == (batch.pool is None)
    for _ in range(2):
        assert arrays(other) == arrays(batch)
        assert other._save()["blocks"] == batch._save()["blocks"]
        for one in (batch, other):
            go_on(one, 40)


def test_a_pickle_of_a_batch_that_is_damaged_is_refused(game):
    """States are checked as any other bytes, and nothing is taken over."""
    batch = game.batch(3, seed=1)
    before = batch._save()
    for name, value in (("states", b"\xff"), ("game_index", b"\x07")):
        saved = batch._save()
        saved["blocks"][name] = value * len(saved["blocks"][name])
        with pytest.raises(ValueError, match=name):
            batch._restore(saved)
    saved = batch._save()
    saved["blocks"]["states"] = saved["blocks"]["states"][:-8]
    with pytest.raises(ValueError, match="blocks"):
        batch._restore(saved)
    saved = batch._save()
    saved["arrays"]["seeds"] = saved["arrays"]["seeds"][:-1]
    with pytest.raises(ValueError, match="seeds"):
        batch._restore(saved)
    assert batch._save()["blocks"] == before["blocks"]


def test_a_list_of_seeds_starts_each_row_where_a_batch_of_one_starts(game):
    batch = game.batch(3, seed=9)
    batch.reset([5, 6, 5])
    for i, seed in enumerate([5, 6, 5]):
        one = game.batch(1, seed=seed)
        assert batch.states[i].tobytes() == one.states[0].tobytes()
        assert batch.seeds[i] == one.seeds[0]
