"""MCTS.forest: its trees find what MCTS finds one by one, and bad use is named."""

import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.agents.make import make_agent
from masume.nets.network import Network
from masume.play.driver import play_game
from masume.search import MCTS
from search.games import random_states

EVERY = [(name, config) for name in GAMES for config in (GAMES[name].SMALL, *getattr(GAMES[name], "HIDDEN", ()))]
TRUST = 0.1
NEZUMI = {"stage": "garden"}


def search_all(forest, states, evaluate, seed=5):
    """Search these states with seeds from `seed` on; return the leaves of each call."""
    for tree, state in enumerate(states):
        forest.set_root(tree, state, seed + tree)
    shown = []
    while (leaves := forest.collect()) is not None:
        forest.answer(*evaluate(leaves.observations, leaves.players))
        shown.append(leaves)
    return shown


def make_network(game):
    network = Network(game, hidden=(8,), seed=3)
    network.weights["policy.weight"] *= 100  # a policy with an opinion
    return network


def answer_uniformly(leaves, forest):
    forest.answer(np.ones(leaves.masks.shape), np.zeros((len(leaves.players), forest.game.num_players)))


@pytest.mark.parametrize(("name", "config"), EVERY)
def test_trees_draw_and_improve_what_mcts_does_one_by_one(name, config):
    game = masume.load(name, **config)
    states = random_states(game, 6)
    network = make_network(game)
    arguments = {"simulations": 20, "considered": 4, "trust": TRUST}
    form = {"observe": network.observe, "crop": network.crop}
    forest = MCTS(game, **arguments, **form).forest(6)
    search_all(forest, states, network)
    roots = forest.roots()
    logits, of_slots = network.by_slot(*network.forward(network.see(roots.observations, roots.players)))
    codes, policies = forest.improve(logits=logits, values=network(roots.observations, roots.players)[1])
    for tree, state in enumerate(states):
        alone = MCTS(game, **arguments, evaluator=network, leaves=1).explore_many([state], 5 + tree)
        its_codes, its_policies = alone.improve(logits[tree : tree + 1], of_slots[tree : tree + 1])
        np.testing.assert_array_equal(codes[tree], its_codes[0])
        np.testing.assert_allclose(policies[tree], np.maximum(its_policies[0], 0), rtol=1e-4, atol=1e-7)
        found = [slot["codes"][slot["visits"] > 0].tolist() for slot in alone.slots(0)]
        assert [np.flatnonzero(row).tolist() for row in forest.visits()[tree, : len(state.slots)]] == found


@pytest.mark.parametrize(("name", "config"), EVERY)
def test_masks_are_those_of_the_positions(name, config):
    game = masume.load(name, **config)
    states = random_states(game, 5)
    forest = MCTS(game, simulations=3).forest(5)
    shown = search_all(forest, states, make_plain(game))
    roots = forest.roots()
    for tree, state in enumerate(states):
        wanted = [state.legal_mask(slot) for slot in range(game.num_slots)]
        np.testing.assert_array_equal(roots.masks[tree], wanted)
    if game.is_perfect_information:
        np.testing.assert_array_equal(shown[0].masks, roots.masks)
        np.testing.assert_array_equal(shown[0].trees, range(5))
    assert all(leaves.masks[:, 0].any(axis=1).all() for leaves in shown)


def make_plain(game):
    def evaluate(observations, players):
        shape = len(players), game.num_slots, game.num_actions
        return np.ones(shape, np.float32), np.zeros((len(players), game.num_players), np.float32)

    return evaluate


@pytest.mark.parametrize(
    ("dtype", "crop"), [("uint8", None), ("bits", 5), ("float16", "seen"), ("bfloat16", (3, 7)), ("float32", 9)]
)
def test_planes_have_the_form_of_a_batch(dtype, crop):
    game = masume.load("chaser", width=9, height=7, n_items=8, n_blocks=4)
    batch = game.batch(4, seed=3, observe=("planes", "ready"), dtype=dtype, crop=crop)
    for _ in range(9):
        batch.sample_actions()
        batch.step()
    forest = MCTS(game, simulations=2, observe=("planes", "ready"), dtype=dtype, crop=crop).forest(4)
    for tree in range(4):
        forest.set_root(tree, batch.state(tree), tree)
    for leaves in (forest.roots(), forest.collect()):  # a sample looks the same to its player
        assert list(leaves.observations) == ["planes", "ready"]
        np.testing.assert_array_equal(leaves.players, batch.current_player)
        for field, array in leaves.observations.items():
            assert array.dtype == batch.observations[field].dtype
            np.testing.assert_array_equal(array, batch.observations[field])


def test_a_tree_is_kept_from_move_to_move():
    game = masume.load("nezumi", **NEZUMI)
    network = make_network(game)
    forest = MCTS(game, simulations=30, observe=network.observe, crop=network.crop).forest(2)
    alone = [MCTS(game, simulations=30, evaluator=network, leaves=1) for _ in range(2)]
    states = [game.new_state() for _ in range(2)]
    kept = 0
    for _ in range(4):
        search_all(forest, states, network)
        for tree, state in enumerate(states):
            result = alone[tree].search(state, seed=5 + tree)
            counts = forest.visits()[tree, 0]
            codes = [state.encode(int(action)) for action in result.slots[0].actions]
            np.testing.assert_array_equal(counts[codes], result.slots[0].visits)
            assert counts.sum() == result.slots[0].visits.sum()
            state.apply(result.actions[0])
        kept += forest.set_root(0, states[0], 0)
    assert kept > 0


def test_logits_and_priors_say_the_same():
    game = masume.load("nezumi", **NEZUMI)
    rng = np.random.default_rng(1)
    counts = []
    for form in range(3):
        rng = np.random.default_rng(1)
        forest = MCTS(game, simulations=25).forest(1)
        forest.set_root(0, game.new_state(), 1)
        while (leaves := forest.collect()) is not None:
            logits = rng.normal(size=leaves.masks.shape).astype(np.float32)
            values = np.zeros((len(leaves.players), 2))
            if form == 0:
                forest.answer(np.exp(logits)[:, 0], values)
            elif form == 1:
                forest.answer(logits=logits, values=values)
            else:
                forest.answer(logits=np.where(leaves.masks, logits, -np.inf), values=values)
        counts.append(forest.visits())
    np.testing.assert_array_equal(counts[0], counts[1])
    np.testing.assert_array_equal(counts[1], counts[2])


def test_bad_answers_are_named_and_leaves_go_on_waiting():
    game = masume.load("nezumi", **NEZUMI)
    forest = MCTS(game, simulations=2).forest(2)
    for tree in range(2):
        forest.set_root(tree, game.new_state())
    leaves = forest.collect()
    ones, zeros = np.ones(leaves.masks.shape, np.float32), np.zeros((2, 2), np.float32)
    for message, arguments in (
        (r"values: expected float32\[2, 2\], got \[2\]", (ones, zeros[0])),
        (r"values: expected numbers in -1\.\.1, got nan", (ones, zeros * np.nan)),
        (r"values: expected numbers in -1\.\.1, got 1\.5", (ones, zeros + 1.5)),
        ("values: expected an array of numbers", (ones, "x")),
        (r"values: expected float32\[2, 2\], got None", (ones, None)),
        (r"priors: expected float32\[2, 1, 251\], got \[1, 1, 251\]", (ones[:1], zeros)),
        ("priors: one is negative", (-ones, zeros)),
        ("priors, logits: expected one of them", (None, zeros)),
    ):
        with pytest.raises(ValueError, match=message):
            forest.answer(*arguments)
    with pytest.raises(ValueError, match=r"logits: expected float32\[2, 1, 251\], got \[2, 1, 250\]"):
        forest.answer(logits=ones[:, :, 1:], values=zeros)
    with pytest.raises(ValueError, match="logits: not all of legal codes are finite"):
        forest.answer(logits=ones * np.inf, values=zeros)
    with pytest.raises(ValueError, match="priors, logits: expected one of them"):
        forest.answer(ones, zeros, logits=ones)
    forest.answer(ones, zeros)


def test_calls_out_of_turn_are_refused():
    game = masume.load("nezumi", **NEZUMI)
    forest = MCTS(game, simulations=2, considered=2).forest(2)
    forest.set_root(0, game.new_state())
    for call in (forest.collect, forest.roots):
        with pytest.raises(ValueError, match="tree 1 has no root"):
            call()
    forest.set_root(1, game.new_state())
    with pytest.raises(RuntimeError, match="answer: no leaves wait"):
        forest.answer(np.ones((2, 251)), np.zeros((2, 2)))
    leaves = forest.collect()
    with pytest.raises(RuntimeError, match="collect: 2 leaves wait"):
        forest.collect()
    with pytest.raises(RuntimeError, match="set_root: leaves wait"):
        forest.set_root(0, game.new_state())
    answer_uniformly(leaves, forest)
    with pytest.raises(RuntimeError, match="improve: simulations are left"):
        forest.improve(logits=np.zeros((2, 251)), values=np.zeros((2, 2)))
    answer_uniformly(forest.collect(), forest)
    assert forest.collect() is None
    forest.improve(logits=np.zeros((2, 251)), values=np.zeros((2, 2)))
    with pytest.raises(RuntimeError, match="answer: no leaves wait"):
        answer_uniformly(leaves, forest)


def test_bad_roots_are_refused():
    game = masume.load("nezumi", **NEZUMI)
    state = game.new_state()
    forest = MCTS(game, simulations=2).forest(1)
    for message, arguments in (
        (r"tree: expected 0\.\.0, got 1", (1, state)),
        (r"seed: expected 0\.\..*, got -1", (0, state, -1)),
        ("state: expected a State of", (0, masume.load("chaser").new_state())),
        (
            "got one of Game.*, which differs in stage",
            (0, masume.load("nezumi", stage="ring").new_state()),
        ),
        ("state: expected a State of", (0, None)),
    ):
        with pytest.raises(masume.ConfigError, match=message):
            forest.set_root(*arguments)
    with pytest.raises(ValueError, match="player: expected one of"):
        forest.set_root(0, state, player=1 - int(state.slots[0]))
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    with pytest.raises(masume.GameOverError, match="state: the game of tree 0 is over"):
        forest.set_root(0, state)
    with pytest.raises(ValueError, match="improve: expected a search with considered"):
        forest.improve(logits=np.zeros((1, 251)), values=np.zeros((1, 2)))


@pytest.mark.parametrize("arguments", [{"ms": 5}, {"simulations": 5, "threads": 2}])
def test_a_forest_needs_simulations_and_one_thread(arguments):
    with pytest.raises(masume.ConfigError, match="forest: expected simulations, one thread"):
        MCTS(masume.load("nezumi"), **arguments).forest(2)
    with pytest.raises(masume.ConfigError, match=r"n: expected 1\.\.65536, got 0"):
        MCTS(masume.load("nezumi"), simulations=1).forest(0)


def test_a_second_thread_is_refused():
    game = masume.load("nezumi", **NEZUMI)
    forest = MCTS(game, simulations=2).forest(1)
    forest.set_root(0, game.new_state())
    leaves = forest.collect()
    inside, done = threading.Event(), threading.Event()

    class Slow:
        def __array__(self, dtype=None, copy=None):
            inside.set()
            done.wait(30)
            return np.ones(leaves.masks.shape, dtype)

    thread = threading.Thread(target=forest.answer, args=(Slow(), np.zeros((1, 2))))
    thread.start()
    inside.wait(30)
    try:
        for call in (forest.collect, forest.roots, forest.visits, lambda: forest.set_root(0, game.new_state())):
            with pytest.raises(RuntimeError, match="the forest is used in another thread"):
                call()
    finally:
        done.set()
        thread.join()


class Declared:
    """Evaluator that says what it receives."""

    observe = "planes", "masks"
    dtype = "uint8"
    crop = 5

    def __call__(self, observations, players):
        assert list(observations) == ["planes", "masks"]
        assert observations["planes"].dtype == np.uint8
        assert observations["planes"].shape[2:] == (5, 5)
        masks = observations["masks"]
        assert masks.any(axis=2).all()
        return masks.astype(np.float32), np.zeros((len(players), 2), np.float32)


def test_an_evaluator_declares_what_it_receives(monkeypatch):
    game = masume.load("chaser", width=9, height=7, n_items=8, n_blocks=4)
    search = MCTS(game, simulations=5, evaluator=Declared())
    assert (search.observe, search.dtype, search.crop) == (("planes", "masks"), "uint8", (5, 5))
    search.search(game.new_state(1))
    monkeypatch.setitem(sys.modules, "declared", SimpleNamespace(Declared=Declared))
    for budget in ("", ":3"):
        play_game(game, [make_agent(f"net:declared:Declared{budget}", game), make_agent("random", game)], 1)
