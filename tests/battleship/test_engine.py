"""The engine beyond the rules: bytes and keys, players' memory, samples, and invalid positions."""

import copy
import pickle

import numpy as np
import pytest

import masume
from lockstep import Lockstep
from masume.battleship import notation
from masume.battleship._engine import CAUSES, State, table
from masume.battleship.config import Config
from masume.battleship.reference import State as Reference
from masume.core.rng import Rng
from masume.errors import GameOverError, StateError

from .campaign import compare
from .conftest import play

LARGEST = {"width": 9, "height": 9, "players": 4, "fleet_sizes": [12] * 4, "fp_base": 9999, "oiler_fp": 9999}


def battle(seed=1, turns=12, **fields):
    """Return the position after `turns` turns of a random game without resignations."""
    game = masume.load("battleship", **{"allow_resign": False, **fields})
    state, rng = game.new_state(seed), Rng(seed)
    while state.phase == 0 or (turns > 0 and not state.is_terminal()):
        turns -= state.phase == 1
        legal = state.legal_actions()
        state.apply(int(legal[rng.below(len(legal))]))
    return state


def edit(state, name, value, *place):
    """Return the state's bytes with another number in a field."""
    data = bytearray(state.to_bytes())
    array = np.frombuffer(data, state.game.state_dtype, 1)[0]
    if place:
        array[name][place] = value
    else:
        array[name] = value
    return bytes(data)


# -- sizes and layout ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "size", "most"),
    [({}, 256, 286), ({"preset": "tag"}, 448, 201), ({"width": 9, "height": 9}, 512, 1152), (LARGEST, 1088, 2643)],
)
def test_a_state_is_small_and_fills_cache_lines(fields, size, most):
    game = masume.load("battleship", **fields)
    assert game.state_size == size
    assert game.num_actions == most == notation.num_actions(game.config)


def test_bytes_hold_nothing_of_calls_before_the_last():
    quiet, loud = battle(3, turns=0), battle(3, turns=12)
    assert len(quiet.views()) < len(loud.views())
    copied = loud.clone()
    copied.copy_from(quiet)
    assert copied.to_bytes() == quiet.to_bytes() == quiet.clone().to_bytes()
    assert copied.views() == quiet.views()
    records = len(loud.views()) - len(quiet.views())
    assert not any(quiet.to_bytes()[-32 * records :])
    again = quiet.game.state_from_bytes(quiet.to_bytes())
    assert (again.to_bytes(), again.views()) == (quiet.to_bytes(), quiet.views())


def test_the_bytes_of_a_state_are_its_fields():
    state = battle()
    variables, array = state.to_dict(), state.array
    for name, value in variables.items():
        if name in ("qual", "active"):
            assert [int(array[name]) >> player & 1 for player in range(2)] == value
        elif name not in ("terrain", "known", "ship_flags"):
            assert array[name].tolist() == value, name
    for panel, bits in enumerate(variables["known"]):
        assert [int(word[0]) >> panel & 1 for word in array["known"]] == [bits & 1, bits >> 1 & 1]
    flags, sets = np.array(variables["ship_flags"]), array["sets"].astype(int)
    for bit in range(4):
        assert sets[:, bit].tolist() == ((flags >> bit & 1) << np.arange(3)).sum(1).tolist()
    assert sets[:, 4].tolist() == ((np.array(variables["ship_hp"]) > 0) << np.arange(3)).sum(1).tolist()
    assert [int(array["mined"][0]) >> panel & 1 for panel in range(25)] == np.any(variables["mines"], 0).tolist()


def test_codes_are_those_of_the_notation():
    game = masume.load("battleship", players=3, width=4, height=6)
    state = game.new_state()
    for code in range(game.num_actions):
        assert state.text_to_action(state.action_to_text(code)) == code


@pytest.mark.parametrize("fields", [{}, {"preset": "multi"}, LARGEST])
def test_the_nouns_show_the_position(fields):
    state = battle(seed=3, turns=20, **fields)
    v, config = state.to_dict(), state.game.config
    panels = (config.height, config.width)
    assert (state.phase, state.round, state.winners, state.reason) == (v["phase"], v["round"], 0, -1)
    assert state.order.tolist() == v["order"]
    assert np.array_equal(state.terrain, np.reshape(v["terrain"], panels))
    assert np.array_equal(state.mines, np.reshape(v["mines"], (config.players, *panels)))
    known = [[bits >> p & 1 for bits in v["known"]] for p in range(config.players)]
    assert np.array_equal(state.known, np.reshape(known, (config.players, *panels)))
    for p in range(config.players):
        fleet = {q: s for s, (q, hp) in enumerate(zip(v["ship_pos"][p], v["ship_hp"][p], strict=True)) if hp > 0}
        assert [state.ship_at(p, q) for q in range(config.panels)] == [fleet.get(q) for q in range(config.panels)]
    for panel in (-1, config.panels, True, "A1"):
        with pytest.raises(ValueError, match="panel"):
            state.ship_at(0, panel)


def test_a_table_of_another_game_or_config_is_refused():
    import toy

    with pytest.raises(TypeError, match="is not battleship"):
        State(masume.load(toy.Counting()))
    with pytest.raises(TypeError, match="config"):
        table(masume.load("chaser").config)


def test_wide_numbers_hold():
    """Fuel and costs of 9999 points, and fleets of 12 ships on 81 panels, do not overflow."""
    state = battle(seed=5, turns=60, **LARGEST, attack_cost=[9999] * 4, move_cost=[9000] * 4, mine_cost=9999)
    twin = Reference.from_dict(state.game.config, state.to_dict())
    assert state.legal_actions().tolist() == twin.legal_actions()
    assert min(map(min, state.to_dict()["ship_fp"])) >= 0
    assert max(map(max, state.to_dict()["ship_fp"])) == 9999


@pytest.mark.parametrize("mission", ["sea_control", "flagship", "rescue", "retreat"])
def test_the_log_holds_the_events_of_any_call(mission):
    fields = {**LARGEST, "teams": [0, 1, 1, 1], "mission": mission, "terrain_weights": [1, 0, 0, 2, 1], "mine_cost": 0}
    state = battle(seed=8, turns=0, **fields)
    most = state.game.memory_size // 32
    for turn in range(300):
        if state.is_terminal():
            break
        legal = state.legal_actions()
        state.apply(int(legal[Rng(turn).below(len(legal))]))
        assert len(state.views()) < most
        state.check()


# -- invalid positions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "name", "value", "place"),
    [
        ("phase, cur", "phase", 3, ()),
        ("phase, cur", "cur", 2, ()),
        ("round, turns", "round", -1, ()),
        ("ptr, round", "turns", 0, ()),
        ("round, turns", "pass_run", -1, ()),
        ("setup_kind: out", "setup_kind", 3, ()),
        ("setup_kind, setup_i", "setup_i", 1, ()),
        ("winners, reason: before", "winners", 1, ()),
        ("winners, reason: before", "reason", 2, ()),
        ("winners, reason: out", "winners", 4, ()),
        ("terrain: outside|terrain: two", "land", 1 << 30, (0, 0)),
        ("known: outside", "known", 1 << 25, (0, 0)),
        ("qual, active: qualified", "active", 2, ()),
        ("qual, active: qualified and not active, or no player", "active", 7, ()),
        ("qual, active: the game", "qual", 1, ()),
        ("torp_next, dealt", "dealt", -1, (1,)),
        ("reinf_left", "reinf_left", 2, (0,)),
        ("torp_n: out", "torp_n", 9, (0,)),
        ("torp_pos, torp_tgt, torp_id: of", "torp_id", 3, (0, 7)),
        ("torp_pos, torp_tgt: at", "torp_n", 8, (0,)),
        ("order", "order", 0, (slice(None),)),
        ("cur, ptr: not", "ptr", 5, ()),
        ("ship_cls: out", "ship_cls", 4, (0, 0)),
        ("ship_pos: off", "ship_pos", 25, (0, 0)),
        ("ship_hp", "ship_hp", 4, (0, 0)),
        ("ship_hp", "ship_fp", 201, (1, 1)),
        ("ship_hp", "ship_aux", -1, (1, 1)),
        ("ship_flags: of a slot", "sets", 8, (0, 0)),
        ("ship_flags: a flagship", "sets", 1, (0, 3)),
        ("sets: not those", "sets", 3, (0, 4)),
        ("sets: not those", "sets", 1, (1, 5)),
        ("mined: not", "mined", 1 << 7, (0,)),
        ("mined: not", "mines", 1, (0, 3)),
    ],
)
def test_check_finds_a_fault_in_the_bytes_of_a_state(fault, name, value, place):
    state = battle(seed=1, turns=4)
    if fault.startswith("cur"):
        value = 1 - int(state.array["ptr"])
    with pytest.raises(StateError, match=fault):
        state.game.state_from_bytes(edit(state, name, value, *place))


def test_ships_and_mines_of_a_position_stand_where_they_can():
    state = battle(seed=1, turns=4, terrain=False, fleets=["BDS"])
    variables = state.to_dict()
    variables["ship_pos"][0] = [7, 7, 8]
    with pytest.raises(StateError, match="two ships"):
        state.game.state_from_dict(variables)
    for value in (2, 1, 16):
        variables = state.to_dict()
        variables["ship_flags"][0][0] = value
        with pytest.raises(StateError, match="ship_flags"):
            state.game.state_from_dict(variables)


@pytest.mark.parametrize("decisions", range(12))
@pytest.mark.parametrize("fields", [{}, {"mission": "blitz", "fleets": ["BDS", "DD"]}])
def test_a_setup_is_what_its_decisions_made_of_the_start(fields, decisions):
    state = masume.load("battleship", **fields).new_state(4)
    while state.phase == 0 and decisions:
        state.apply(int(state.legal_actions()[0]))
        decisions -= 1
    state.check()
    if state.phase == 0:
        for name, value, *place in (
            ("round", 1), ("qual", 2), ("reinf_left", 0, 1), ("order", 0, 0), ("mines", 1, 0, 0), ("known", 1, 0, 0),
            ("land", 1, 3, 0), ("torp_id", 5, 1, 2), ("torp_pos", 1, 0, 0),
            ("ship_hp", 1, 0, 0), ("sets", 1, 0, 0), ("sets", 1, 0, 4), ("setup_i", 7), ("ptr", 0),
        ):  # fmt: skip
            with pytest.raises(StateError):
                state.game.state_from_bytes(edit(state, name, value, *place))


# -- memory -------------------------------------------------------------------------------------------


def test_what_players_remember_is_checked():
    state = battle(seed=2, turns=9)
    size, accepted = state.game.state_size, 0
    for k in range(size, size + 600):
        data = bytearray(state.to_bytes())
        data[k] ^= 0x41
        try:
            found = state.game.state_from_bytes(bytes(data))
        except StateError:
            continue
        accepted += 1
        found.check()
        found.events()
    assert 0 < accepted < 600


@pytest.mark.parametrize("fields", [{}, {"preset": "classic"}, {"preset": "tag"}, {"surface_period": 2}])
def test_the_truth_is_always_suspected(fields):
    for seed in range(5):
        state, rng = battle(seed, 0, **fields), Rng(seed)
        for _ in range(80):
            if state.is_terminal():
                break
            legal = state.legal_actions()
            state.apply(int(legal[rng.below(len(legal))]))
            v = state.to_dict()
            for viewer in range(state.game.num_players):
                found = state.suspects(viewer).reshape(state.game.num_players, state.game.config.max_fleet, -1)
                for p, (places, points) in enumerate(zip(v["ship_pos"], v["ship_hp"], strict=True)):
                    for slot, (panel, hp) in enumerate(zip(places, points, strict=True)):
                        expected = hp > 0 and p != viewer
                        assert found[p, slot].any() == expected
                        assert not expected or found[p, slot, panel]


@pytest.mark.parametrize("width", [8, 9])
def test_a_map_of_64_panels_and_a_larger_one_give_the_same_as_the_reference(width):
    rng = Rng(width)
    fields = {"width": width, "height": 8, "fleet_sizes": [12, 5], "attack_known_reef": False, "allow_resign": False}
    with Lockstep("battleship", Config.make(**fields), seed=width) as twins:
        for _ in range(110):  # the first 36 or so are of the setup
            legal = twins.reference.legal_actions()
            twins.apply(int(legal[rng.below(len(legal))]))
            compare(twins)
            if twins.reference.is_terminal():
                break


def test_suspects_of_the_observation_are_those_of_the_state():
    """They begin with the next player in turn order, and omit the player's own ships."""
    state = battle(seed=6, turns=30, preset="multi")
    for player in range(3):
        order = state.order.tolist()
        start = order.index(player)
        others = [order[(start + r) % 3] for r in (1, 2)]
        expected = state.suspects(player)[others].reshape(state.observation(player)["suspects"].shape)
        assert np.array_equal(state.observation(player)["suspects"], expected)


def test_a_position_without_a_past_has_seen_nothing():
    state = battle(seed=2, turns=9)
    fresh = state.game.state_from_bytes(state.to_bytes()[: state.game.state_size], without_memory=True)
    assert fresh.events() == []
    assert fresh.information_state(0) == "0"
    reefs = fresh.known[0].ravel() & (fresh.terrain.ravel() == 1)
    assert all(np.array_equal(row.ravel(), 1 - reefs) for row in fresh.suspects(0)[1] if row.any())
    assert fresh.key == state.key


# -- forfeits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", CAUSES)
def test_what_was_seen_is_replayed_over_a_forfeit(cause):
    """A game of three players goes on after one has left it."""
    state = battle(seed=4, turns=5, preset="multi")
    gone = state.current_player
    before = state.information_state(0)
    state.forfeit(gone, cause)
    assert state.history[-1] == -1 - CAUSES.index(cause)
    assert not state.is_terminal()
    play(state, "P" if "P" in map(state.action_to_text, state.legal_actions().tolist()) else "")
    legal = state.legal_actions()
    state.apply(int(legal[0]))
    text = state.information_state(0)
    assert text.startswith(before)
    assert len(text) > len(before)
    assert pickle.loads(pickle.dumps(state)).information_state(0) == text == copy.copy(state).information_state(0)


def test_a_forfeit_that_is_none_is_named():
    state = battle(seed=4, turns=3)
    before = state.to_bytes(), list(state.history)
    for cause in ("HUNGER", 0, None, ["resign"], "unable"):
        with pytest.raises(ValueError, match="cause"):
            state.forfeit(state.current_player, cause)
    with pytest.raises(ValueError, match=r"player: . is not to move"):
        state.forfeit(1 - state.current_player, "resign")
    assert (state.to_bytes(), state.history) == before
    start = state.game.new_state()
    with pytest.raises(ValueError, match="before play"):
        start.forfeit(0, "resign")
    state.forfeit(state.current_player, "timeout")
    with pytest.raises(GameOverError):
        state.forfeit(0, "timeout")


# -- samples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [{}, {"preset": "classic"}, {"preset": "tag"}, {"mission": "flagship"}, LARGEST])
@pytest.mark.parametrize("turns", [0, 7, 40])
def test_a_sample_is_what_its_player_cannot_tell_from_the_truth(fields, turns):
    state = battle(seed=3, turns=turns, **fields)
    if state.is_terminal():
        state = battle(seed=3, turns=2, **fields)
    hidden = set()
    for player in range(state.game.num_players):
        seen, observed = state.information_state(player), state.observation(player)
        for seed in range(6):
            sample = state.resample(player, seed)
            sample.check()
            hidden.add(str(sample.array["ship_pos"].tolist()))
            assert sample.information_state(player) == seen
            assert sample.events(player) == state.events(player)
            assert sample.events(None) == state.events(player)
            for name, array in sample.observation(player).items():
                assert np.array_equal(array, observed[name]), name
            if player == state.current_player:
                assert np.array_equal(sample.legal_mask(), state.legal_mask())
            legal = sample.legal_actions()
            sample.apply(int(legal[seed % len(legal)]))
            sample.check()
            assert sample.information_state(player).startswith(seen)
    assert len(hidden) > 2


def test_what_the_player_cannot_know_changes_no_sample():
    """Two positions that a player cannot distinguish give it the same samples."""
    state = battle(seed=3, turns=9)
    other = state.resample(0, 99)
    assert other.to_dict() != state.to_dict()
    for seed in range(20):
        assert state.resample(0, seed).to_dict() == other.resample(0, seed).to_dict()


def lay_mines(*owners):
    """Return a game of three in which player 0's Battleship has hit one mine of each owner and is on C1."""
    fields = {"fleets": [["B"], ["D"], ["D"]], "players": 3, "turn_order": [0, 1, 2], "terrain": False}
    game = masume.load("battleship", **fields)
    state = game.new_state(1)
    for text in ("SA1", "SE5", "SA5"):
        state.apply(state.text_to_action(text))
    variables = state.to_dict()
    for owner in owners:
        variables["mines"][owner][2] += 1
    state = game.state_from_dict(variables)
    state.apply(state.text_to_action("M0E2"))
    return state


def count_samples(state, player):
    """Return all combinations of (dealt, kills) in 60 samples."""
    samples = [state.resample(player, seed) for seed in range(60)]
    return {(*sample.array["dealt"].tolist(), *sample.array["kills"].tolist()) for sample in samples}


def test_what_mines_did_is_known_as_far_as_it_can_be():
    """BS-R62: an owner knows its own mines, and the others if only one other player can own them."""
    state = lay_mines(1, 2)
    assert count_samples(state, 0) == {(0, 2, 0, 0, 0, 0), (0, 1, 1, 0, 0, 0), (0, 0, 2, 0, 0, 0)}
    assert count_samples(state, 1) == count_samples(state, 2) == {(0, 1, 1, 0, 0, 0)}
    state = lay_mines(1, 1)
    assert count_samples(state, 0) == count_samples(state, 1) == count_samples(state, 2) == {(0, 2, 0, 0, 0, 0)}
    assert all(state.resample(0, seed).scores().tolist() == state.scores().tolist() for seed in range(9))


def test_a_hit_that_was_named_is_that_ships_in_every_sample():
    """With `hit_reveals_class`, the Battleship in slot 0 and no other ship has lost the HP."""
    fields = {"fleets": ["BDD"], "turn_order": [0, 1], "terrain": False, "hit_reveals_class": True}
    state = masume.load("battleship", **fields).new_state(1)
    for text in ("SC3", "SA1", "SE5", "SD3", "SA5", "SE1", "A0E"):
        state.apply(state.text_to_action(text))
    assert {"kind": "HIT", "round": 1, "player": 1, "slot": 0, "cls": "B", "panel": "D3"} in state.events(0)
    assert {tuple(state.resample(0, seed).array["ship_hp"][1].tolist()) for seed in range(40)} == {(2, 2, 2)}


def test_a_sample_is_of_a_fleet_that_can_fight_on():
    """Player 0 has lost its flagship and fights on: with so little fuel only an Oiler can act."""
    game = masume.load("battleship", players=3, mission="flagship", fp_base=5, oiler_fp=55, turn_order=[0, 1, 2])
    state = game.new_state(1)
    for text in ("KS", "KO", "F0", "SC3", "SA1", "KS", "KO", "F0", "SD3", "SE5", "KS", "KO", "F0", "SA5", "SE1"):
        state.apply(state.text_to_action(text))
    assert int(state.array["qual"]) == 0b110
    for seed in range(200):
        sample = state.resample(1, seed)
        sample.check()
        assert sample.array["ship_cls"][0, 1] == 3


def test_a_sample_leaves_a_wreck_where_it_was_told_to_be():
    """Player 2 sees the panel where a ship of player 0 sinks and does not know its terrain: it is not a reef."""
    fields = {"fleets": ["SB"], "turn_order": [0, 1, 2], "terrain_weights": [1, 60_000, 0, 0, 0]}
    state = masume.load("battleship", "multi", **fields).new_state(1)
    for text in ("SC3", "SA5", "SC2", "SA4", "SE5", "SE4", "A1E", "A0S"):
        state.apply(state.text_to_action(text))
    wreck = {"kind": "SUNK", "round": 1, "player": 0, "slot": 0, "cls": "S", "panel": "C3", "cause": "attack"}
    assert wreck in state.events(2)
    for seed in range(20):
        sample = state.resample(2, seed)
        sample.check()
        assert sample.array["ship_pos"][0, 0] == 12
        assert sample.terrain[2, 2] != 1


def test_samples_of_a_position_without_a_past_are_positions():
    """A ship on terrain unknown to its owner is invalid, as a sample may put a reef there; so are too many mines."""
    game = masume.load("battleship", terrain_weights=[1, 1, 1, 1, 1], players=3, fleets=["BDS"])
    state = game.new_state(2)
    for text in ("SA1", "SB1", "SC1") * 3:
        state.apply(state.text_to_action(text))
    variables = state.to_dict()
    for name, value in (
        ("known", [0, *variables["known"][1:]]),
        ("mines", [variables["mines"][0], *[[9] * 25] * 2]),
    ):
        with pytest.raises(StateError, match=name):
            game.state_from_dict({**variables, name: value})
    again = game.state_from_dict({**variables, "mines": [variables["mines"][0], [8] * 25, [0] * 24 + [200]]})
    for seed in range(50):
        for sample in (state.resample(0, seed), again.resample(0, seed)):
            sample.check()
            assert Reference.from_dict(game.public.config, sample.to_dict())


def test_samples_of_a_setup_are_setups():
    game = masume.load("battleship", mission="flagship")
    state = game.new_state(1)
    for text in ("KB", "KD", "KO", "F1", "SA1", "SB2", "SC3", "KS", "KS"):
        state.apply(state.text_to_action(text))
    found = {str(state.resample(1, seed).array["ship_cls"].tolist()) for seed in range(40)}
    assert len(found) > 20
    for seed in range(40):
        sample = state.resample(1, seed)
        sample.check()
        assert sample.array["ship_cls"][1].tolist() == [2, 2, -1]
        assert sample.array["ship_pos"][1].tolist() == [-1, -1, -1]


def test_a_sample_knows_nothing_of_a_hidden_map():
    """9.1: samples belong to the public game, so that a sampled setup gets another map in play."""
    game, other = (
        masume.load("battleship", terrain_map="/".join([row] * 5), fleets=["BD"]) for row in (".....", "^^^^^")
    )
    states = game.new_state(1), other.new_state(1)
    for state in states:
        for text in ("SA1", "SB2"):
            state.apply(state.text_to_action(text))
    for seed in range(5):
        samples = [state.resample(1, seed) for state in states]
        for sample, state in zip(samples, states, strict=True):
            assert sample.game == game.public == other.public
            assert sample.information_state(1) == state.information_state(1)
            for text in ("SD4", "SE5"):
                sample.apply(sample.text_to_action(text))
        assert samples[0].to_dict() == samples[1].to_dict()
        assert samples[0].information_state(1) == samples[1].information_state(1)
    started = other.new_state(1)
    for text in ("SA1", "SB2", "SD4", "SE5", "A0E"):
        started.apply(started.text_to_action(text))
    sample = started.resample(started.current_player, 3)
    assert sample.game == other.public
    for player in (started.current_player, 1 - started.current_player):
        seen = started.information_state(player)
        assert (sample.information_state(player) == seen) == (player == started.current_player)
    again = pickle.loads(pickle.dumps(sample))
    assert again.information_state(started.current_player) == sample.information_state(started.current_player)


def test_the_end_is_its_only_sample():
    state = battle(seed=3, turns=1)
    state.forfeit(state.current_player, "resign")
    assert state.resample(0, 5).to_dict() == state.to_dict()


# -- batches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [{}, {"preset": "tag"}, {"preset": "submarine"}])
def test_a_batch_sees_what_a_state_sees(fields):
    """Every field of the observation is equal, over several games of each row."""
    game = masume.load("battleship", **fields)
    names = ("planes", "scalars", "suspects")
    batch = game.batch(3, seed=5, observe=names)
    states = [game.new_state(int(seed)) for seed in batch.seeds]
    for _ in range(120):
        batch.sample_actions()
        actions = batch.actions[:, 0].tolist()
        batch.step()
        for i, state in enumerate(states):
            state.apply(actions[i])
            if state.is_terminal():
                state = states[i] = game.new_state(int(batch.seeds[i]))
            observed = state.observation(state.current_player)
            for name in names:
                assert np.array_equal(batch.observations[name][i], observed[name]), name


def test_the_fallback_is_to_pass_or_the_lowest_code_but_resigning():
    config = Config.make(fleets=["D"], terrain=False, fp_base=20, torpedoes=False)
    game = masume.load("battleship", **config.to_dict())
    batch = game.batch(1, on_illegal="fallback", autoreset="disabled")
    state = game.new_state(int(batch.seeds[0]))
    while not state.is_terminal():
        legal = state.legal_actions().tolist()
        batch.actions[0, 0] = -1
        batch.step()
        state.apply(next(code for code in legal if code != 1))
        assert batch.states[0].tobytes() == state.to_bytes()[: game.state_size]
