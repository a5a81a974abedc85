"""Sequential halving at the root (Gumbel AlphaZero): the action that the definition chooses, in every game."""

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.core.rng import Rng, stream
from masume.nets.network import Network
from masume.search import MCTS

POINTS = [[1, 9, -3], [4, 0, 12], [-7, 5, 2]]
TOY = masume.load("kakomimasu", width=3, height=3, n_agents=1, total_turns=1, points=POINTS)
"""It ends after one turn, in which each side puts its agent on a cell or stays."""


def sequence(considered, simulations):
    """Return the visits that the arm to be tried has, for each simulation, as mctx defines it."""
    if considered <= 1:
        return list(range(simulations))
    phases, visits, found, count = int(np.ceil(np.log2(considered))), [0] * considered, [], considered
    while len(found) < simulations:
        for _ in range(max(1, int(simulations / (phases * count)))):
            found += visits[:count]
            for k in range(count):
                visits[k] += 1
        count = max(2, count // 2)
    return found[:simulations]


def halve(state, priors, considered, simulations, trust, rng):
    """Return the visits of each slot's codes and the codes drawn, by the definition. The game ends after a ply."""
    legal = [np.flatnonzero(state.legal_mask(slot)) for slot in range(2)]
    noise = [np.array([-np.log(-np.log(((rng.next() >> 11) + 0.5) / 2**53)) for _ in codes]) for codes in legal]
    logs = [np.log(priors[slot, codes] / priors[slot, codes].sum()) for slot, codes in enumerate(legal)]
    visits = [np.zeros(len(codes), int) for codes in legal]
    totals = [np.zeros(len(codes)) for codes in legal]
    due = [sequence(min(considered, len(codes)), simulations) for codes in legal]

    def best(slot, wanted):
        mean = totals[slot] / np.maximum(visits[slot], 1)
        score = noise[slot] + logs[slot] + trust * (50 + visits[slot].max()) * mean
        return int(np.where(visits[slot] == wanted, score, -np.inf).argmax())

    for n in range(simulations):
        chosen = [best(slot, due[slot][n]) for slot in range(2)]
        after = state.clone()
        after.apply([state.decode(int(legal[slot][arm])) for slot, arm in enumerate(chosen)])
        for slot, arm in enumerate(chosen):
            visits[slot][arm] += 1
            totals[slot][arm] += after.returns()[slot]
    return visits, [int(legal[slot][best(slot, visits[slot].max())]) for slot in range(2)]


@pytest.mark.parametrize(("considered", "simulations"), [(4, 17), (8, 33), (16, 12), (3, 40), (1, 5), (2, 2)])
def test_both_slots_draw_what_the_definition_draws(considered, simulations):
    priors = np.random.default_rng(considered).random((2, TOY.num_actions)).astype(np.float32)

    def evaluate(observations, players):
        return np.repeat(priors[None], len(players), axis=0), np.zeros((len(players), 2), np.float32)

    found, drawn = [], set()
    for seed in range(12):
        state = TOY.new_state()
        search = MCTS(TOY, simulations=simulations, evaluator=evaluate, considered=considered, trust=0.05)
        result = search.search(state, seed=seed)
        visits, codes = halve(state, priors, considered, simulations - 1, 0.05, Rng(stream(seed, 0)))
        assert [slot.visits.tolist() for slot in result.slots] == [one.tolist() for one in visits]
        assert [slot.drawn for slot in result.slots] == codes
        assert result.actions == codes
        found.append(result)
        drawn.add(tuple(codes))
    assert len(drawn) > 1


def test_without_values_codes_are_drawn_by_their_priors():
    """Noise and the logarithm of a prior draw as the prior does."""
    priors = np.zeros((2, TOY.num_actions), np.float32)
    priors[:, [0, 17, 20]] = [0.2, 0.5, 0.3]

    def evaluate(observations, players):
        return np.repeat(priors[None], len(players), axis=0), np.zeros((len(players), 2), np.float32)

    search = MCTS(TOY, simulations=4, evaluator=evaluate, considered=3, trust=0)
    counts = np.zeros(TOY.num_actions)
    for seed in range(1500):
        counts[search.search(TOY.new_state(), seed=seed).slots[0].drawn] += 1
    np.testing.assert_allclose(counts[[0, 17, 20]] / 1500, [0.2, 0.5, 0.3], atol=0.05)


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_draws_the_same_in_every_game(name):
    game = masume.load(name, **GAMES[name].SMALL)
    network, state = Network(game, hidden=(8,)), game.new_state(1)
    results = [
        MCTS(
            game, simulations=12, evaluator=network, observe=network.observe, crop=network.crop, considered=4
        ).search_many([state, state], seed)
        for seed in (5, 5)
    ]
    for one, other in zip(*results, strict=True):
        assert one.actions == other.actions
        for slot in one.slots:
            assert slot.best == slot.drawn
            assert slot.visits.sum() == 11
            assert (slot.visits > 0).sum() <= 4


def test_a_search_goes_on_from_nothing():
    """A tree of an earlier search would have been visited by other rules."""
    game = masume.load("nezumi", stage="garden")
    network, state = Network(game, hidden=(8,)), game.new_state(1)
    search = MCTS(game, simulations=20, evaluator=network, considered=4)
    for _ in range(3):
        found = search.search(state, seed=2)
        assert found.simulations == found.new_simulations == 20
        state.apply(found.actions[0])


@pytest.mark.parametrize(
    "arguments",
    [{"simulations": 9}, {"ms": 9, "evaluator": len}, {"simulations": 9, "evaluator": len, "threads": 2}],
)
def test_halving_needs_an_evaluator_and_a_number_of_simulations(arguments):
    with pytest.raises(masume.ConfigError, match="considered: expected 0 without"):
        MCTS(TOY, considered=4, **arguments).search(TOY.new_state())
