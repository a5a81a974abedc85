"""Forest.improve: the policy that a network learns is the definition's, in every game and in samples."""

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.nets.network import Network
from masume.search import MCTS
from masume.search._mcts import Forest
from search.games import random_states

CALM = 50
TRUST = 0.1
EVERY = [(name, config) for name in GAMES for config in (GAMES[name].SMALL, *getattr(GAMES[name], "HIDDEN", ()))]


def improve(logits, value, tried, visits, values):
    """Return the improved policy over the legal codes of a slot, by Gumbel AlphaZero's completed action values.

    logits : float32[n], of the legal codes. value : what the network expects. tried : indices of the codes that were
    tried, with their visits and mean results.
    """
    prior = np.exp(logits.astype(np.float64) - logits.max())
    prior /= prior.sum()
    seen = visits > 0
    tried, visits, values = tried[seen], visits[seen], values[seen]
    total, known = visits.sum(), prior[tried].sum()
    mean = (prior[tried] * values).sum() / known if known > 0 else 0.0
    completed = np.full(len(logits), (value + total * mean) / (1 + total))
    completed[tried] = values
    raised = np.log(prior + 1e-12) + TRUST * (CALM + visits.max(initial=0)) * completed
    policy = np.exp(raised - raised.max())
    return policy / policy.sum()


def explore(game, states, simulations):
    network = Network(game, hidden=(8,), seed=3)
    network.weights["policy.weight"] *= 100  # a policy with an opinion
    search = MCTS(
        game,
        simulations=simulations,
        evaluator=network,
        observe=network.observe,
        crop=network.crop,
        considered=4,
        trust=TRUST,
    )
    forest = search.explore_many(states, 5)
    return network, forest, network.by_slot(*network.forward(network.see(*forest.observe_roots())))


@pytest.mark.parametrize("simulations", [1, 2, 24])
@pytest.mark.parametrize(("name", "config"), EVERY)
def test_the_policy_is_the_one_of_the_definition(name, config, simulations):
    game = masume.load(name, **config)
    states = random_states(game, 12)
    _, forest, (logits, values) = explore(game, states, simulations)
    codes, policies = forest.improve(logits, values)
    for place, state in enumerate(states):
        found = forest.slots(place)
        assert (codes[place, len(state.slots) :] == -1).all()
        assert (policies[place, len(state.slots) :] == -1).all()
        for slot in range(len(state.slots)):
            legal = np.flatnonzero(state.legal_mask(slot))
            bandit = found[slot] if found else {"codes": np.zeros(0, int), "drawn": -1}
            places = np.flatnonzero(np.isin(bandit["codes"], legal))
            tried = np.searchsorted(legal, bandit["codes"][places])
            visits, means = (bandit[key][places] if found else np.zeros(0, int) for key in ("visits", "values"))
            wanted = improve(logits[place, slot, legal], values[place, slot], tried, visits, means)
            np.testing.assert_allclose(policies[place, slot, legal], wanted, rtol=1e-9, atol=1e-15)
            assert (np.delete(policies[place, slot], legal) == -1).all()
            best = legal[policies[place, slot, legal].argmax()]
            assert codes[place, slot] == (bandit["drawn"] if bandit["drawn"] in legal else best)


@pytest.mark.parametrize(("name", "config"), EVERY)
def test_roots_look_as_their_states_do(name, config):
    game = masume.load(name, **config)
    states = random_states(game, 5)
    network, forest, _ = explore(game, states, 4)
    seen, movers = forest.observe_roots()
    assert list(seen) == list(network.observe)
    for place, state in enumerate(states):
        players = range(game.num_players) if game.is_simultaneous else [int(state.slots[0])]
        assert movers[place] == (-1 if game.is_simultaneous else players[0])
        for field, array in seen.items():
            views = array[place] if game.is_simultaneous else array[place : place + 1]
            for player, view in zip(players, views, strict=True):
                np.testing.assert_array_equal(view, state.observation(player, crop=network.crop)[field])


def test_an_improved_policy_follows_what_was_found():
    """A code that wins gets more than its share, though the network thinks nothing of it."""
    points = [[1, 9, -3], [4, 0, 12], [-7, 5, 2]]
    game = masume.load("kakomimasu", width=3, height=3, n_agents=1, total_turns=1, points=points)

    def evaluate(observations, players):
        return np.ones((len(players), 2, game.num_actions), np.float32), np.zeros((len(players), 2), np.float32)

    forest = MCTS(game, simulations=200, evaluator=evaluate, considered=16, trust=TRUST).explore_many(
        [game.new_state()]
    )
    _, policies = forest.improve(np.zeros((1, 2, game.num_actions), np.float32), np.zeros((1, 2), np.float32))
    for slot, bandit in enumerate(forest.slots(0)):
        tried = bandit["visits"] > 0
        shares, means = policies[0, slot, bandit["codes"][tried]], bandit["values"][tried]
        assert means.min() < means.max()
        assert (np.diff(shares[means.argsort()]) >= 0).all()
        assert shares[means.argmax()] > 1 / len(bandit["codes"]) > shares[means.argmin()]


def test_bad_arrays_are_named():
    game = masume.load("nezumi", stage="garden")
    _, forest, (logits, values) = explore(game, [game.new_state()], 4)
    with pytest.raises(ValueError, match=r"logits: expected float32\[1, 1, \d+\], got \[2, 1, \d+\]"):
        forest.improve(np.repeat(logits, 2, axis=0), values)
    with pytest.raises(ValueError, match="values: not all are finite"):
        forest.improve(logits, values * np.nan)
    with pytest.raises(ValueError, match="logits: could not convert"):
        forest.improve("x", values)


def test_a_search_that_does_not_halve_improves_nothing():
    game = masume.load("nezumi", stage="garden")
    forest = MCTS(game, simulations=4).explore_many([game.new_state()])
    none = np.zeros((1, 1, game.num_actions), np.float32), np.zeros((1, 1), np.float32)
    with pytest.raises(ValueError, match="improve: expected a search that halves"):
        forest.improve(*none)


def test_trees_without_a_position_show_nothing():
    game = masume.load("nezumi", stage="garden")
    settings = {"exploration": 0.7, "wide": 24.0, "widening": 0.3, "scale": 0.0, "lead_share": 0.5, "per_sample": 1}
    settings |= {"policy": 0, "prior": 0, "horizon": 0, "regret": False, "noise": 0.1, "observe": ("planes",)}
    forest = Forest(game, 2, 1, 10**7, leaves=2, considered=2, trust=0.1, **settings)
    forest.set_root(0, game.new_state(), 0, 1)
    with pytest.raises(ValueError, match="tree 1 has no root"):
        forest.observe_roots()


def test_a_search_that_runs_shows_nothing():
    game = masume.load("nezumi", stage="garden")
    told = []

    def evaluate(observations, players):
        for ask in (forest.observe_roots, lambda: forest.improve(logits, logits[:, :, 0])):
            with pytest.raises(RuntimeError, match="search: it is running"):
                ask()
            told.append(1)
        return np.ones((len(players), 1, game.num_actions), np.float32), np.zeros((len(players), 2), np.float32)

    logits = np.zeros((1, 1, game.num_actions), np.float32)
    search = MCTS(game, simulations=3, evaluator=evaluate, considered=2)
    forest = search._grow(1, 16)
    forest.set_root(0, game.new_state(), 0, 1)
    forest.run(3, 0, evaluate)
    assert told
