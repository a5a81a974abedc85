"""A game plugged in by its capsule gets State, Batch, perft and record; a bad table is rejected."""

import gc
import re
import sys
from ctypes import sizeof
from pathlib import Path

import numpy as np
import pytest

import masume
import toy
from masume.agent import PolicyAgent, View
from masume.core import _perft, _playout
from masume.core._game import Table
from masume.core.rng import Rng, stream
from masume.errors import IllegalActionError, StateError
from shell import interrupt
from toy import TYPES, Counting

SMALLEST = toy.Game.decode.offset
"""Size of a table without optional entries, in bytes."""


def test_the_table_is_read():
    game = masume.load(Counting(length=8))
    assert (game.name, game.num_players, game.num_slots, game.num_actions) == ("counting", 2, 1, 3)
    assert game.max_game_length == 8
    assert not game.is_simultaneous
    assert not game.is_perfect_information
    assert game.policies == ("random", "highest")
    assert game.observation_spec == {"planes": ((2,), np.dtype("f4")), "chosen": ((), np.dtype("i4"))}
    assert game.state_dtype.names == ("ply", "loser", "rng", "score")
    assert (game.state_size, game.memory_size) == (24, 8)
    assert game.reference is None
    assert game.config is None
    assert masume.load(Counting(memory=False)).is_perfect_information
    assert masume.load(Counting(units=2)).is_simultaneous


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("struct_size", SMALLEST - 8), ("struct_size", SMALLEST + 4), ("num_players", 0), ("num_players", 5),
        ("num_slots", 65), ("num_actions", 0),
        ("num_actions", 1 << 20), ("max_legal", 4), ("state_size", 20), ("state_size", 0), ("memory_size", 4),
        ("num_fields", 17), ("apply", TYPES["apply"]()), ("observe", TYPES["observe"]()),
        ("prepare", TYPES["prepare"](lambda *_: 0)), ("draw", TYPES["draw"](lambda *_: 0)),
    ],
)  # fmt: skip
def test_a_table_out_of_bounds_is_refused(field, value):
    with pytest.raises(ValueError, match=field):
        Table(Counting(**{field: value}))


@pytest.mark.parametrize("abi", [1, 3])
def test_a_table_of_another_abi_says_what_to_do(abi):
    with pytest.raises(ValueError, match=rf"^abi: expected 2, got {abi}; rebuild the plug-in with the headers of this"):
        Table(Counting(abi=abi))


def test_native_players_need_the_function_that_plays_them():
    with pytest.raises(ValueError, match="num_policies: expected 0 without the function policy, got 1"):
        Table(Counting(struct_size=SMALLEST))


def test_the_smallest_table_plays():
    """The plug-in was built before there were optional entries: memory behind its table is not read."""
    whole, small = Counting(length=8, num_policies=0), Counting(length=8, struct_size=SMALLEST, num_policies=0)
    assert all(getattr(small._table, name) for name in ("forfeit", "resample", "policy"))  # beyond the end
    game = masume.load(small)
    assert (game.policies, game.has_forfeits, game.has_samples) == (("random",), False, False)
    assert _perft.perft(game.new_state(3), 4) == 2 * 3 * 2 * 3
    batches = [masume.load(provider).batch(5, seed=3, observe=None) for provider in (whole, small)]
    assert batches[0].playout() == batches[1].playout() == 40
    assert np.array_equal(*(batch.states for batch in batches))
    states = [masume.load(provider).new_state(4) for provider in (whole, small)]
    with pytest.raises(ValueError, match="hides nothing"):
        states[1].resample(0, 1)
    for state in states:
        while not state.is_terminal():
            state.apply(1)
    assert states[0].to_dict() == states[1].to_dict()


def test_a_completed_table_lives_as_long_as_its_capsule():
    """The capsule of a game with a smaller table is a completed one, and keeps the provider's."""
    provider = Counting(struct_size=SMALLEST, num_policies=0)
    kept = provider.capsule
    held = sys.getrefcount(kept)
    table = Table(provider)
    capsule = table.capsule
    assert capsule is not kept
    assert sys.getrefcount(kept) == held + 1
    again = Table(capsule)
    assert again.capsule is capsule  # nothing is missing any more
    del table, again
    assert sys.getrefcount(kept) == held + 1
    del capsule
    gc.collect()
    assert sys.getrefcount(kept) == held


def test_a_larger_table_is_taken_as_far_as_it_is_known():
    provider = Counting(struct_size=sizeof(toy.Game) + 64)
    game = masume.load(provider)
    assert game.capsule is provider.capsule
    assert game.batch(2, seed=1, observe=None).playout() == 12


def test_entries_stay_where_they_are():
    """A released entry keeps its place; new ones are added behind all of these."""
    header = (Path(masume.get_include()) / "masume/game.h").read_text()
    table = header[header.index("struct masume_game {") : header.index("MASUME_GAME_MIN_SIZE")]
    assert re.findall(r"\(\*(\w+)\)\(const masume_game", table)[: len(toy.FUNCTIONS)] == [*toy.FUNCTIONS]
    assert (SMALLEST, sizeof(toy.Game)) == (200, 360)


def test_what_is_no_game_is_refused():
    for bad in (object(), 5, None):
        with pytest.raises(TypeError, match="no masume game"):
            masume.load(bad)
    with pytest.raises(masume.ConfigError, match="width"):
        masume.load(Counting(), width=3)
    with pytest.raises(masume.ConfigError, match="chess"):
        masume.load("chess")


def test_hidden_information_has_memory_and_history():
    game = masume.load(Counting())
    state = game.new_state(5)
    for action in (1, 2, 0, 2):
        assert state.current_player == len(state.history) % 2
        state.apply(action)
    assert state.history == [1, 2, 0, 2]
    assert [int(state.observation(player)["chosen"]) for player in (0, 1)] == [1, 4]
    twin = state.clone()
    state.apply(0)
    assert twin.history == [1, 2, 0, 2]
    assert int(twin.observation(0)["chosen"]) == 1
    twin.copy_from(state)
    assert twin.history == state.history
    assert len(state.to_bytes()) == 32
    back = game.state_from_bytes(state.to_bytes())
    assert int(back.observation(1)["chosen"]) == 4


def test_a_long_history_ends_with_its_state():
    game = masume.load(Counting(length=6000))
    state = game.new_state(5)
    for ply in range(5000):
        state.apply(ply % 2)
    twin = state.clone()
    assert twin.history == state.history == 2500 * [0, 1]
    del twin, state
    states = [game.new_state(seed) for seed in range(3)]
    assert [state.history for state in states] == [[], [], []]
    for _ in range(40):
        states[1].apply(1)
    assert [state.history for state in states] == [[], 40 * [1], []]


def test_resample_keeps_what_the_player_knows():
    game = masume.load(Counting())
    state = game.new_state(5)
    state.apply(1)
    samples = [state.resample(0, seed) for seed in range(8)]
    assert {sample.scores()[0] for sample in samples} == {state.scores()[0]}
    assert len({sample.scores()[1] for sample in samples}) > 1
    with pytest.raises(ValueError, match="seed 13"):
        state.resample(0, 13)
    plain = masume.load(Counting(memory=False)).new_state()
    plain.forfeit(1, 7)
    assert plain.returns().tolist() == [1, -1]


def test_resample_needs_something_hidden():
    state = masume.load("kakomimasu", width=3, height=3).new_state()
    with pytest.raises(ValueError, match="hides nothing"):
        state.resample(0, 1)
    with pytest.raises(ValueError, match="cause"):
        state.forfeit(0, 1)


def test_forfeit_by_an_unknown_cause_is_refused():
    state = masume.load(Counting()).new_state()
    with pytest.raises(ValueError, match="cause"):
        state.forfeit(0, 3)
    state.forfeit(0, 7)
    with pytest.raises(masume.GameOverError):
        state.forfeit(1, 7)


def test_actions_that_are_no_codes():
    game = masume.load(Counting(exact=True))
    state = game.new_state(1)
    assert state.legal_actions().tolist() == [0, 1]
    assert state.legal_actions().dtype == np.int64
    state.apply(1)
    assert state.legal_actions().tolist() == [10, 11, 12]
    assert [state.decode(code) for code in (0, 2, 3, -1)] == [10, 12, -1, -1]
    assert [state.encode(action) for action in (11, 13, 2)] == [1, -1, -1]
    with pytest.raises(IllegalActionError, match="13"):
        state.apply(13)
    with pytest.raises(IllegalActionError):
        state.apply(2**80)
    assert state.history == [1]


def test_dicts_and_bytes_are_checked():
    game = masume.load(Counting())
    state = game.new_state(3)
    state.apply(1)
    assert state.to_dict() == {"ply": 1, "loser": -1, "rng": state.to_dict()["rng"], "score": state.scores().tolist()}
    assert game.state_from_dict(state.to_dict()).key == state.key
    for bad in (
        {},
        {"ply": 1},
        {**state.to_dict(), "ply": 99},
        {**state.to_dict(), "score": [1, 2, 3]},
        {**state.to_dict(), "x": 1},
    ):
        with pytest.raises(StateError):
            game.state_from_dict(bad)
    with pytest.raises(StateError):
        game.parse("ply: 1")
    damaged = bytearray(state.to_bytes())
    damaged[8] = 200
    with pytest.raises(StateError, match="ply"):
        game.state_from_bytes(bytes(damaged))


def test_a_view_shows_what_the_player_may_know():
    game = masume.load(Counting())
    state = game.new_state(5)
    view = View(state, 0, left_ms=7)
    assert view.slots == [0]
    assert View(state, 1).slots == []
    assert view.left_ms == 7
    assert int(view.observation()["chosen"]) == 0
    assert view.resample(2).slots.tolist() == [0]
    with pytest.raises(AttributeError, match="hides"):
        view.state  # noqa: B018
    open_view = View(masume.load(Counting(memory=False)).new_state(5), 0)
    open_view.state.apply(1)
    assert open_view.state.scores().tolist() == [0, 0]


@pytest.mark.parametrize("units", [1, 2])
@pytest.mark.parametrize("exact", [False, True])
def test_record_plays_what_agents_would(units, exact):
    """PolicyAgents that play in C and the same agents asked one by one give the same games. [design section 7]"""
    if units > 1 and exact:
        pytest.skip("actions that are no codes have one slot")
    game = masume.load(Counting(length=7, units=units, exact=exact))
    seeds = np.array([3, 2**63 + 5], np.uint64)
    for policies in ([0, 0], [0, 1], [1, 0]):
        taken = _playout.record(game, seeds, np.array(policies, np.int32))
        at = 0
        for k, seed in enumerate(seeds.tolist()):
            state = game.new_state(seed)
            agents = [PolicyAgent(game.policies[policy]) for policy in policies]
            for player, agent in enumerate(agents):
                agent.start(game, player, stream(seed, player))
            for _ in range(taken["length"][k]):
                players = state.slots.tolist()
                chosen = [agents[player].act(View(state, player)) for player in dict.fromkeys(players)]
                actions = [action for choice in chosen for action in choice] if units > 1 else chosen
                assert taken["actions"][at].tolist() == actions
                assert taken["player"][at] == (-1 if units > 1 else players[0])
                state.apply(actions if units > 1 else actions[0])
                at += 1
            assert state.is_terminal()
            assert taken["returns"][k].tolist() == state.returns().tolist()
            assert taken["scores"][k].tolist() == state.scores().tolist()
        assert at == len(taken["actions"])


def test_record_refuses_bad_arguments():
    game = masume.load(Counting())
    seeds, policies = np.zeros(1, np.uint64), np.zeros(2, np.int32)
    for bad in (
        (seeds.astype(np.int64), policies),
        (seeds, policies[:1]),
        (seeds, policies + 2),
        (seeds, policies.astype(float)),
    ):
        with pytest.raises(ValueError, match=r"seeds|policies"):
            _playout.record(game, *bad)


def test_perft_counts_sequences():
    game = masume.load(Counting())
    assert [_perft.perft(game.new_state(1), depth) for depth in range(8)] == [1, 2, 6, 12, 36, 72, 216, 0]
    assert _perft.divide(game.new_state(1), 3) == {0: 6, 1: 6}
    joint = masume.load(Counting(units=2))
    assert _perft.perft(joint.new_state(1), 2) == 2**4 * 3**4
    assert len(_perft.divide(joint.new_state(1), 1)) == 16
    assert _perft.divide(masume.load(Counting(exact=True)).new_state(1), 2) == {0: 3, 1: 3}
    crowd = masume.load("kakomimasu", n_agents=16).new_state()
    assert _perft.perft(crowd, 1) == 401**32
    for call in (_perft.perft, _perft.divide):
        with pytest.raises(masume.ConfigError, match=r"depth: 2: .* first actions"):
            call(crowd, 2)
    for depth in (-1, 65):
        with pytest.raises(ValueError, match="depth"):
            _perft.perft(game.new_state(1), depth)


def test_batches_step_a_plugged_in_game():
    game = masume.load(Counting())
    batch = game.batch(5, seed=2, observe=("planes", "chosen"), masks="packed", final_observations=True)
    rngs = [Rng(stream(2, i)) for i in range(5)]
    states = [game.new_state(rng.next() >> 1) for rng in rngs]
    for ply in range(5):
        batch.sample_actions()
        codes = batch.actions[:, 0].tolist()
        assert codes == [rng.below(2 + ply % 2) for rng in rngs]
        batch.step()
        for i, state in enumerate(states):
            state.apply(codes[i])
            assert batch.observations["chosen"][i] == state.observation((ply + 1) % 2)["chosen"]
            assert batch.masks_packed[i, 0, 0] == (3 if ply % 2 else 7)
    batch.sample_actions()
    batch.step()
    assert batch.terminated.all()
    assert (batch.final_observations["planes"][:, :, 0] == 6).all()
    assert batch.playout() == 5 * 6
    assert batch.stats()["games"] == 10
    assert (batch.observations["planes"][:, 0] == 6).all()


def test_text_of_a_plug_in():
    state = masume.load(Counting()).new_state(1)
    assert "ply: 0" in str(state)
    assert state.text_to_action(state.action_to_text(2)) == 2
    with pytest.raises(masume.NotationError):
        state.text_to_action("two")


def test_half_made_objects_raise():
    """Objects that were created without their constructors raise errors."""
    game = masume.Game.__new__(masume.Game)
    assert game.name == ""
    with pytest.raises(TypeError, match="load"):
        masume.State(game)
    batch = masume.Batch.__new__(masume.Batch)
    for call in (batch.step, batch.sample_actions, batch.playout, batch.reset):
        with pytest.raises(RuntimeError, match="no arrays"):
            call()
    whole = masume.load("kakomimasu")
    with pytest.raises(TypeError, match="cannot be changed"):
        whole.__init__(Counting())


def test_a_long_perft_stops_at_ctrl_c():
    """Ctrl-C works within a walk, not only between first actions."""
    code = (
        "import masume; from masume.core._perft import perft; "
        "game = masume.load('kakomimasu', width=3, height=3, n_agents=1); print('go', flush=True); "
        "perft(game.new_state(), 40)"
    )
    assert b"KeyboardInterrupt" in interrupt(code)
