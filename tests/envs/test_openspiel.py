"""OpenSpiel: its own random simulation and MCTS run on every game, and States stand beside them."""

import pickle

import numpy as np
import pytest

import masume
from masume.core.rng import Rng

pyspiel = pytest.importorskip("pyspiel", reason="the extra `openspiel` is not installed")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import mcts  # noqa: E402

from masume.envs import openspiel  # noqa: E402
from masume.render import text  # noqa: E402


@pytest.fixture
def spiel(name, config):
    return openspiel.load_game(name, starts=5, **config)


def test_random_simulations_pass(spiel):
    """Legal actions, masks, utilities, observers, serialised states: what OpenSpiel checks of its own games."""
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)


def test_the_python_mcts_plays(spiel):
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
        for slot, player in enumerate(position.slots):
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
    chosen = []
    for k in (0, 5):
        chosen.append(state.legal_actions()[k])
        state.apply_action(chosen[-1])
    observer = spiel.make_py_observer()
    observer.set_from(state, 0)
    assert observer.dict["chosen"].tolist() == chosen
    observer.set_from(state, 1)
    assert observer.dict["chosen"].tolist() == [-1, -1]
    assert state.information_state_string(0).endswith(f"\nchosen: {chosen[0]} {chosen[1]}")
    assert "chosen" not in state.information_state_string(1)
    assert str(state.clone()) == str(state)
    state.clone().apply_action(state.legal_actions()[1])
    assert str(pickle.loads(pickle.dumps(state))) == str(state)


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
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = environment.step([legal[rng.below(len(legal))]])
        steps += 1
    assert steps > 1
    assert set(step.rewards) <= {-1.0, -0.5, 0.0, 0.5, 1.0}


def test_bad_arguments_are_named():
    with pytest.raises(masume.ConfigError, match="starts"):
        openspiel.load_game("chaser", starts=0)
    with pytest.raises(masume.ConfigError, match="game: 'chess' is none of"):
        openspiel.load_game("chess")
    with pytest.raises(masume.ConfigError, match="game"):
        openspiel.load_game(masume.load("chaser"), width=5)
    with pytest.raises(masume.ConfigError, match="widht"):
        openspiel.load_game("chaser", widht=5)
    spiel = openspiel.load_game("chaser")
    with pytest.raises(masume.ConfigError, match="observer"):
        spiel.make_py_observer(params={"x": 1})
