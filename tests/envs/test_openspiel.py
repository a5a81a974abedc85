"""OpenSpiel's random simulation and MCTS run on every game, and its states equal masume's."""

import copy
import pickle

import numpy as np
import pytest

import masume
from masume.core.rng import Rng, stream

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from masume.envs import openspiel  # noqa: E402
from masume.render import text  # noqa: E402


@pytest.fixture
def spiel(name, config):
    return openspiel.load_game(name, starts=5, **config)


def test_random_simulations_pass(spiel):
    """OpenSpiel's checks of its own games: legal actions, masks, utilities, observers, serialised states."""
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)


def in_turns(spiel):
    """Return the game that asks one player at a time, for algorithms that know no simultaneous nodes."""
    is_simultaneous = spiel.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(spiel) if is_simultaneous else spiel


def test_the_python_mcts_plays(spiel):
    spiel = in_turns(spiel)
    state = spiel.new_initial_state()
    state.apply_action(3)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(spiel, 1.4, 10, evaluator, random_state=np.random.RandomState(2))
    for _ in range(6):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
    assert len(state.history()) == 7


def test_a_state_is_the_state(spiel, game):
    """Players, legal actions, texts, views and returns are the State's; slots are asked one after the other."""
    assert spiel.num_distinct_actions() == game.num_actions
    assert spiel.num_players() == game.num_players
    state, position, rng = spiel.new_initial_state(), game.new_state(4), Rng(1)
    assert state.chance_outcomes() == [(start, 0.2) for start in range(5)]
    assert state.returns() == [0.0] * game.num_players
    assert state.action_to_string(state.current_player(), 4) == "start 4"
    state.apply_action(4)
    while not state.is_terminal():
        codes = []
        if game.is_simultaneous:
            own = [np.flatnonzero(position.slots == player).tolist() for player in range(game.num_players)]
            codes = [0] * game.num_slots
            for slots in zip(*own, strict=True):
                assert state.is_simultaneous_node()
                legal = [np.flatnonzero(position.legal_mask(slot)).tolist() for slot in slots]
                assert [state.legal_actions(player) for player in range(game.num_players)] == legal
                joint = [its[rng.below(len(its))] for its in legal]
                for player, (slot, code) in enumerate(zip(slots, joint, strict=True)):
                    codes[slot] = code
                    told = position.action_to_text(position.decode(code), slot)
                    assert state.action_to_string(player, code) == told
                state.apply_actions(joint)
        for slot, player in enumerate(position.slots if not game.is_simultaneous else ()):
            assert state.current_player() == player
            legal = np.flatnonzero(position.legal_mask(slot)).tolist()
            assert state.legal_actions() == legal
            codes.append(legal[rng.below(len(legal))])
            told = position.action_to_text(position.decode(codes[-1]), slot)
            assert state.action_to_string(int(player), codes[-1]) == told
            state.apply_action(codes[-1])
        position.apply(codes if game.num_slots > 1 else position.decode(codes[0]))
        assert str(state) == str(position)
        for player in range(game.num_players):
            assert state.observation_string(player) == text(position, player)
            assert state.information_state_string(player) == position.information_state(player)
            observer = spiel.make_py_observer()
            observer.set_from(state, player)
            seen = position.observation(player)
            assert np.array_equal(observer.tensor, state.observation_tensor(player))
            for field, array in observer.dict.items():
                assert np.array_equal(array, seen[field] if field != "chosen" else np.full(array.shape, -1))
    assert position.is_terminal()
    assert state.returns() == position.returns().tolist()


def test_codes_that_are_not_applied_yet_are_seen_by_who_chose_them():
    spiel = openspiel.load_game("kakomimasu", width=4, height=3, n_agents=2, starts=1)
    assert spiel.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    state = spiel.new_initial_state()
    state.apply_action(0)
    before = str(state)
    assert state.current_player() == pyspiel.PlayerId.SIMULTANEOUS
    first = [state.legal_actions(0)[5], state.legal_actions(1)[2]]
    state.apply_actions(first)
    assert state.is_simultaneous_node()
    observer = spiel.make_py_observer()
    for player in range(2):
        observer.set_from(state, player)
        assert observer.dict["chosen"].tolist() == [first[player], -1]
        assert state.information_state_string(player).endswith(f"\nchosen: {first[player]}")
    assert str(state) == f"{before}\nchosen: {first[0]} {first[1]}"
    assert str(state.clone()) == str(state)
    state.clone().apply_actions([state.legal_actions(0)[1], 0])
    assert str(pickle.loads(pickle.dumps(state))) == str(state)
    drawn = {state.resample_from_infostate(0, lambda k=k: k / 40).turns.rounds[0][1] for k in range(40)}
    assert len(drawn) > 3
    assert {state.resample_from_infostate(0, lambda k=k: k / 40).turns.rounds[0][0] for k in range(40)} == {first[0]}
    illegal = next(code for code in range(spiel.num_distinct_actions()) if code not in state.legal_actions(1))
    with pytest.raises(masume.IllegalActionError, match=f"code {illegal} of player 1"):
        state.turns.choose_all([0, illegal])
    assert len(state.turns.rounds) == 1


def test_ismcts_plays_from_resampled_states(spiel, game):
    """A resampled state looks the same to the player to move, and ISMCTS searches from it."""
    if game.is_simultaneous:
        pytest.skip("ISMCTS knows no simultaneous nodes")
    if game.is_perfect_information:
        pytest.skip("ISMCTS is for games that hide something")
    state = spiel.new_initial_state()
    state.apply_action(3)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(spiel, evaluator, 2.0, 8, random_state=np.random.RandomState(2))
    for _ in range(4):
        mover = state.current_player()
        other = state.resample_from_infostate(mover, np.random.RandomState(3).random_sample)
        assert other.information_state_string(mover) == state.information_state_string(mover)
        assert other.legal_actions() == state.legal_actions()
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
        if state.is_terminal():  # the bot's choices, and so the length of a game, differ between versions of OpenSpiel
            break


def test_resampling_hides_what_the_player_does_not_know():
    spiel = openspiel.load_game("chaser", starts=1)
    state = spiel.new_initial_state()
    state.apply_action(0)
    drawn = {str(state.resample_from_infostate(0, lambda k=k: k / 20)) for k in range(20)}
    assert len(drawn) > 10
    assert str(state) == str(state.clone())


def test_sampled_chance_serialises(game, config):
    """With `starts=0` a seed decides the starts, and the text of a state holds what was drawn."""
    spiel = openspiel.load_game(game.name, starts=0, rng_seed=5, **config)
    pyspiel.random_sim_test(spiel, num_sims=1, serialize=True, verbose=False)
    spiel, rng = openspiel.load_game(game.name, starts=0, rng_seed=6, **config), Rng(stream(6, 0))
    state = spiel.new_initial_state()
    assert state.chance_outcomes() == [(0, 1.0)]
    assert state.action_to_string(state.current_player(), 0) == "a start"
    again, copy = state.clone(), pickle.loads(pickle.dumps(state))
    for one in (state, again, copy):
        one.apply_action(0)
        assert one.turns.state == game.new_state(Rng(stream(6, 0)).next() >> 1)
    _, back = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(spiel, state))
    assert back.turns.state == state.turns.state
    assert back.history() == state.history()
    spiel = openspiel.load_game(game.name, starts=0, rng_seed=6, **config)
    for _ in range(3):
        state = spiel.new_initial_state()
        state.apply_action(0)
        assert state.turns.state == game.new_state(rng.next() >> 1)


def test_undo_is_refused(spiel):
    state = spiel.new_initial_state()
    state.apply_action(1)
    with pytest.raises(pyspiel.SpielError, match="not undoing"):
        state.undo_action(pyspiel.PlayerId.CHANCE, 1)
    assert state.history() == [1]


def test_a_config_goes_through_openspiels_parameters(game, spiel):
    assert spiel.masume == game
    assert openspiel.load_game(game).masume.config.to_dict() == game.config.to_dict()
    assert pyspiel.load_game(str(spiel)).masume == game
    assert pickle.loads(pickle.dumps(spiel)).masume == game
    assert pyspiel.load_game(f"masume_{game.name}").masume == masume.load(game.name)


def test_the_rl_environment_runs(spiel):
    environment = rl_environment.Environment(spiel)
    environment.seed(1)
    step, rng, steps = environment.reset(), Rng(2), 0
    while not step.last():
        mover = step.observations["current_player"]
        legal = step.observations["legal_actions"]
        asked = legal if mover == pyspiel.PlayerId.SIMULTANEOUS else [legal[mover]]
        step = environment.step([codes[rng.below(len(codes))] for codes in asked])
        steps += 1
    assert steps > 1
    assert set(step.rewards) <= {-1.0, -0.5, 0.0, 0.5, 1.0}


def test_bad_arguments_are_named():
    with pytest.raises(masume.ConfigError, match="starts"):
        openspiel.load_game("chaser", starts=-1)
    with pytest.raises(masume.ConfigError, match="rng_seed"):
        openspiel.load_game("chaser", starts=0, rng_seed=2**31)
    with pytest.raises(masume.ConfigError, match=r"game: expected one of .*, got 'chess'"):
        openspiel.load_game("chess")
    with pytest.raises(masume.ConfigError, match="game"):
        openspiel.load_game(masume.load("chaser"), width=5)
    with pytest.raises(masume.ConfigError, match="widht"):
        openspiel.load_game("chaser", widht=5)
    spiel = openspiel.load_game("chaser")
    with pytest.raises(masume.ConfigError, match="params: expected none"):
        spiel.make_py_observer(params={"x": 1})


def test_bad_calls_are_named(spiel, game):
    """No call outside the rules of OpenSpiel changes a state; those that its C++ catches are its own errors."""
    players, num_actions = game.num_players, game.num_actions
    unknown = f"player: expected 0..{players - 1}, got 7"

    def refused(state, kind, message, call):
        before = str(state), state.history()
        with pytest.raises(kind, match=message):
            call()
        assert (str(state), state.history()) == before

    state = spiel.new_initial_state()
    starts = spiel.max_chance_outcomes()
    refused(state, masume.IllegalActionError, f"start: expected 0..{starts - 1}, got {starts}",
            lambda: state.apply_action(starts))  # fmt: skip
    refused(state, masume.IllegalActionError, r"codes \[0, 0\]: one player", lambda: state.apply_actions([0, 0]))
    state.apply_action(0)
    refused(state, pyspiel.SpielError, unknown, lambda: state.resample_from_infostate(7, lambda: 0.5))
    refused(state, masume.IllegalActionError, f"code: expected 0..{num_actions - 1}, got {num_actions}",
            lambda: state.action_to_string(0, num_actions))  # fmt: skip
    for call in (state.observation_string, state.information_state_string, state.observation_tensor):
        refused(state, pyspiel.SpielError, "player = 7", lambda call=call: call(7))
    if game.is_simultaneous:
        refused(state, masume.IllegalActionError, "code 0: all players", lambda: state.apply_action(0))
        refused(state, pyspiel.SpielError, unknown, lambda: state.legal_actions(7))
        for actions in ([], [0], [0] * (players + 1)):
            refused(state, masume.IllegalActionError, "actions: expected 2 codes, one of each player",
                    lambda actions=actions: state.apply_actions(actions))  # fmt: skip
        refused(state, masume.IllegalActionError, f"code {num_actions} of player 1",
                lambda: state.apply_actions([state.legal_actions(0)[0], num_actions]))  # fmt: skip
    else:
        assert state.legal_actions(7) == []
        refused(state, masume.IllegalActionError, "one player chooses", lambda: state.apply_actions([0, 0]))
        refused(state, masume.IllegalActionError, f"code {num_actions} of slot 0",
                lambda: state.apply_action(num_actions))  # fmt: skip
    rng = Rng(1)
    while not state.is_terminal():
        legal = [codes[rng.below(len(codes))] if (codes := state.legal_actions(k)) else 0 for k in range(players)]
        if state.is_simultaneous_node():
            state.apply_actions(legal)
        else:
            state.apply_action(legal[state.current_player()])
    refused(state, masume.GameOverError, "the game is over",
            lambda: state.apply_actions([0] * players) if game.is_simultaneous else state.apply_action(0))  # fmt: skip


@pytest.mark.parametrize("starts", [0, 5])
@pytest.mark.parametrize("how", [copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
def test_a_copy_of_a_state_plays_on_equally(game, config, starts, how):
    """Copies in the middle of games, and of a turn, have the position, its arrays and what may be chosen next."""
    spiel, rng = openspiel.load_game(game.name, starts=starts, rng_seed=3, **config), Rng(1)
    observer = spiel.make_py_observer()

    def choose(state):
        return [legal[rng.below(len(legal))] for legal in map(state.legal_actions, range(game.num_players))]

    state = spiel.new_initial_state()
    state.apply_action(0)
    for _ in range(9):
        if state.is_terminal():
            break
        other = how(state)
        assert other.history() == state.history()
        for player in range(game.num_players):
            seen = []
            for one in (state, other):
                observer.set_from(one, player)
                seen.append((observer.tensor.tobytes(), one.legal_actions(player)))
            assert seen[0] == seen[1]
        if state.is_simultaneous_node():
            actions = choose(state)
            for one in (state, other):
                one.apply_actions(actions)
        else:
            legal = state.legal_actions()
            action = legal[rng.below(len(legal))]
            for one in (state, other):
                one.apply_action(action)
        assert other.turns.state == state.turns.state
        state = other
