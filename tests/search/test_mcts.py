"""Monte Carlo tree search: correct on solvable games, reproducible for a seed, blind to what is hidden."""

import ctypes as ct
import signal
import threading

import numpy as np
import pytest

import masume
from masume.agent import View
from masume.agents.make import make_agent
from masume.agents.searching import read_tuning
from masume.core.rng import Rng
from masume.errors import ConfigError, ConfigTypeError, GameOverError
from masume.play.driver import play_game
from masume.search import MCTS
from search.games import Alone, Matrix, Nim
from toy import TYPES, Counting, State

KAKOMIMASU = {"width": 6, "height": 5, "n_agents": 2, "total_turns": 8, "seed": 4}


class Guess(Counting):
    """Player 0 does not see the coin and says 0 or 1, in a game that hides the coin: score[1]; a right guess is +1.

    With `told`, a first move of either code reveals the coin as news, and the guess is the next move.
    """

    def __init__(self, told):
        self.told = told
        super().__init__(length=2 if told else 1, memory=True)

    def slots(self, _, state, players):
        players[0] = 0
        return int(self.at(state).ply < self.length)

    def count(self, state):
        return 2

    def init(self, _, state, memory, seed):
        ct.cast(state, ct.POINTER(State))[0] = State(seed, 0, -1, (0, seed % 2))

    def apply(self, table, state, memory, codes):
        s = self.at(state)
        if not 0 <= codes[0] < 2:
            return -1
        s.ply, s.score[0] = s.ply + 1, codes[0]
        return int(s.ply == self.length)

    def returns(self, _, state, out):
        s = self.at(state)
        out[0] = (1.0 if s.score[0] == s.score[1] else -1.0) if s.ply == self.length else 0.0
        out[1] = -out[0]

    def news(self, _, state, memory, player, codes):
        return self.at(state).score[1] if self.told else 0

    def resample(self, _, state, memory, player, seed, out_state, out_memory):
        self.at(out_state).score[1] = seed >> 5 & 1
        return 0


def chaser(**fields):
    return masume.load("chaser", height=5, width=4, n_blocks=2, n_items=4, turn_limit=6, **fields)


# -- exact ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stones", range(1, 10))
def test_nim_is_played_as_it_is_solved(stones):
    provider = Nim(stones)
    game = masume.load(provider)
    found = MCTS(game, simulations=600).search(game.new_state())
    assert found.simulations == 600
    if stones % 3:
        assert found.actions == [stones % 3 - 1]
        assert found.value[0] > 0.4
    else:
        assert found.value[0] < -0.4


def test_the_line_is_what_both_expect():
    provider = Nim(7)
    game = masume.load(provider)
    found = MCTS(game, simulations=4000).search(game.new_state())
    assert sum(1 + code for code in found.line) == 7
    assert len(found.line) % 2 == 1


@pytest.mark.parametrize(
    ("pay", "strategy", "value"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3, 1 / 3, 1 / 3], 0),
        ([[0.5, -1, -1], [-1, 1, -1], [-1, -1, 1]], [0.4, 0.3, 0.3], -0.4),
        ([[1, 0.5, 1], [-1, 0, -1], [0, -1, 0]], [1, 0, 0], 0.5),
    ],
    ids=["rock-paper-scissors", "unequal pennies", "saddle"],
)
def test_regret_matching_finds_the_equilibrium_of_matrix_games(pay, strategy, value):
    provider = Matrix(pay)
    game = masume.load(provider)
    found = MCTS(game, simulations=60_000, selection="regret").search(game.new_state())
    assert found.slots[0].policy == pytest.approx(strategy, abs=0.06)
    assert found.slots[0].policy @ np.array(pay) == pytest.approx([value] * 3, abs=0.1) or value == 0.5
    assert found.slots[1].player == 1


def test_kakomimasu_takes_the_only_points_there_are():
    """One agent stands next to the only cell with points, with one turn left: it must go there."""
    config = {"width": 3, "height": 1, "n_agents": 1, "total_turns": 2}
    game = masume.load("kakomimasu", points=[0, 9, 0], **config)
    state = game.parse("A.B\nagents: A0@0,0\nagents: B0@2,0\nplayed: 1\n")
    found = MCTS(game, simulations=2000).search(state)
    assert state.action_to_text(found.actions[0], 0) == "MOVE 1,0"


def test_chaser_puts_a_block_on_the_neighbour():
    game = masume.load("chaser", map="N:duel\nT:9\nD:0,0,0,0,0\nD:0,0,0,0,0\nD:0,0,0,0,0\nC:1,1\nH:1,2\n")
    state = game.new_state()
    found = MCTS(game, simulations=2000).search(state)
    assert state.action_to_text(found.actions[0]) == "pd"
    assert found.value[0] > 0.8


# -- hidden things ----------------------------------------------------------------------------------


def test_what_is_hidden_is_not_known():
    provider = Guess(told=False)
    game = masume.load(provider)
    for seed in range(4):
        found = MCTS(game, simulations=4000).search(game.new_state(seed))
        assert abs(found.value[0]) < 0.2


def test_what_is_told_on_the_way_is_used():
    provider = Guess(told=True)
    game = masume.load(provider)
    assert MCTS(game, simulations=4000).search(game.new_state(1)).value[0] > 0.8


def positions_before_the_end(game, plies, count):
    """Return positions of games between the game's policies, `plies` plies before the longest possible end."""
    found, seed, policy = [], 0, game.policies[1]
    last = 0
    while len(found) < count:
        state, rng = game.new_state(seed), seed
        path = [state.clone()]
        while not state.is_terminal():
            (action,), rng = state._choose(state.current_player, policy, rng)
            state.apply(action)
            path.append(state.clone())
        last = max(last, len(path))
        if len(path) == last:
            found.append(path[-1 - plies])
        seed += 1
    return [state for state in found if len(state.history) == last - 1 - plies]


def expect(state, action, samples):
    """Return the mean result of an action for the player to move, over samples that the others finish by the policy."""
    player, policy, total = state.current_player, state.game.policies[1], 0.0
    for seed in range(samples):
        sample = state.resample(player, 77 * seed + 5)
        sample.apply(action)
        rng = seed
        while not sample.is_terminal():
            (reply,), rng = sample._choose(sample.current_player, policy, rng)
            sample.apply(reply)
        total += sample.returns()[player]
    return total / samples


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize(
    "game",
    [
        chaser(),
        masume.load("battleship", preset="classic", width=3, height=3, fleets=["D"], hp=[1, 1, 1, 1], max_rounds=2),
    ],
    ids=["chaser", "battleship"],
)
def test_the_last_decisions_are_those_of_all_samples_one_by_one(game, plies):
    """Near the end of a game, a search finds the average value of each action over the samples, and the best action."""
    arguments = {} if plies == 1 else {"policy": game.policies[1]}  # otherwise another player decides after it
    values = set()
    for state in positions_before_the_end(game, plies, 5):
        worth = {int(action): expect(state, action, 400) for action in state.legal_actions()}
        slot = MCTS(game, simulations=20_000, exploration=1.0, **arguments).search(state).slots[0]
        assert worth[slot.best] > max(worth.values()) - 0.1
        assert slot.values.max() == pytest.approx(max(worth.values()), abs=0.1)
        assert slot.values[slot.visits > 300] == pytest.approx(
            [worth[action] for action in slot.actions[slot.visits > 300].tolist()], abs=0.15
        )
        values |= {round(value, 1) for value in worth.values()}
    assert len(values) > 2


@pytest.mark.parametrize("is_tuned", [False, True], ids=["plain", "tuned"])
@pytest.mark.parametrize(
    "game",
    [chaser(), masume.load("battleship"), masume.load("battleship", preset="classic")],
    ids=["chaser", "standard", "classic"],
)
def test_the_search_looks_at_nothing_but_what_its_player_has_seen(game, is_tuned):
    """Two states with the same information and different hidden parts give the same search."""
    arguments = read_tuning(game) if is_tuned else {}
    searched = 0
    for seed in range(8):
        state, rng = game.new_state(seed), Rng(seed)
        for _ in range(4 if game.name == "chaser" else 30):
            legal = state.legal_actions()
            state.apply(int(legal[rng.below(len(legal))]))
            if state.is_terminal():
                break
        else:
            player = state.current_player
            other = state.resample(player, seed)
            mine, others = (
                MCTS(game, simulations=300, **arguments).search(position, seed=5) for position in (state, other)
            )
            assert mine.slots[0].visits.tolist() == others.slots[0].visits.tolist()
            assert mine.slots[0].values.tolist() == others.slots[0].values.tolist()
            searched += state.to_dict() != other.to_dict()
    assert searched > 2


def test_the_search_does_not_look_at_a_hidden_map():
    """Ships are placed over two different hidden maps."""
    found = []
    for row in ("....", "^%^%"):
        game = masume.load("battleship", terrain_map="/".join([row] * 4), fleets=["BD"])
        result = MCTS(game, simulations=300).search(game.new_state(1), seed=5)
        found.append((result.slots[0].visits.tolist(), result.slots[0].values.tolist()))
    assert found[0] == found[1]


# -- the same for a seed ----------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("fields", [("kakomimasu", KAKOMIMASU), ("chaser", {})], ids=["kakomimasu", "chaser"])
def test_equal_seeds_find_the_same(fields, threads):
    game = masume.load(fields[0], **fields[1])
    state = game.new_state(2)
    before = state.to_bytes()
    arguments = {} if game.is_perfect_information else {"per_sample": 3}
    found = [MCTS(game, simulations=500, threads=threads, **arguments).search(state, seed=seed) for seed in (9, 9, 10)]
    visits = [[slot.visits.tolist() for slot in result.slots] for result in found]
    assert visits[0] == visits[1] != visits[2]
    assert found[0].nodes == found[1].nodes
    assert all(sum(row) <= 500 for row in visits[0])
    assert state.to_bytes() == before


def test_what_was_found_below_a_move_is_kept():
    game = masume.load("kakomimasu", **KAKOMIMASU | {"n_agents": 1, "width": 3, "height": 3})
    search = MCTS(game, simulations=3000)
    state = game.new_state()
    first = search.search(state)
    state.apply(first.actions)
    second = search.search(state)
    assert second.new_simulations == 3000
    assert second.simulations > 3000
    assert second.line[0] == second.actions
    elsewhere = search.search(game.new_state(0))
    assert elsewhere.simulations == 3000


def test_memory_is_bounded_and_the_search_goes_on_without():
    game = masume.load("kakomimasu", **KAKOMIMASU)
    found = MCTS(game, simulations=40_000, memory_mb=1).search(game.new_state())
    assert found.is_full
    assert found.memory_bytes <= 2**20
    assert found.simulations == 40_000


def test_a_time_is_kept():
    game = masume.load("kakomimasu", **KAKOMIMASU)
    found = MCTS(game, ms=30).search(game.new_state())
    assert found.seconds >= 0.03
    assert found.simulations > 0
    assert found.simulations_per_s > 0


def test_a_time_is_kept_where_no_leaf_needs_an_evaluator():
    """Every simulation ends the game: the evaluator is asked about the root alone."""
    game, asked = masume.load("kakomimasu", width=3, height=1, n_agents=1, total_turns=1, points=[0, 9, 0]), []

    def evaluate(observations, players):
        asked.append(len(players))
        return np.ones((len(players), 2, game.num_actions), np.float32), np.zeros((len(players), 2), np.float32)

    found = MCTS(game, ms=30, evaluator=evaluate).search(game.new_state())
    assert 0.03 <= found.seconds < 10
    assert found.simulations > 16
    assert asked == [1]


def test_horizons_count_points():
    """A search by points that is cut off after two plies still goes to the points."""
    game = masume.load("kakomimasu", width=3, height=1, n_agents=1, total_turns=30, points=[0, 9, 0])
    state = game.parse("A.B\nagents: A0@0,0\nagents: B0@2,0\nplayed: 1\n")
    found = MCTS(game, simulations=1000, horizon=1, score_scale=5).search(state)
    assert state.action_to_text(found.actions[0], 0) == "MOVE 1,0"


def test_without_a_limit_every_action_is_tried():
    """A limit wide * visits ** widening beyond 2**31 has no effect."""
    game = masume.load("kakomimasu", **KAKOMIMASU)
    state = game.new_state()
    found = MCTS(game, simulations=500, wide=1e9).search(state)
    assert [len(slot.actions) for slot in found.slots] == [len(state.legal_actions(slot)) for slot in range(4)]


def test_regret_matching_without_noise_stays_finite():
    provider = Matrix([[1, 1], [-1, -1]])
    game = masume.load(provider)
    found = MCTS(game, simulations=20_000, selection="regret", noise=0).search(game.new_state())
    assert found.actions[0] == 0
    assert all(np.isfinite(slot.policy).all() and np.isfinite(slot.values).all() for slot in found.slots)


def test_one_player_leads_over_nobody():
    """With one player, a lead is the score itself, which counts half at the end."""
    provider = Alone()
    game = masume.load(provider)
    found = MCTS(game, simulations=300, horizon=1, score_scale=2.0).search(game.new_state())
    assert found.actions == [1]
    assert found.value[0] == pytest.approx(np.tanh(1) / 2, abs=0.05)


@pytest.mark.parametrize("share", [0, 0.25, 1])
def test_a_lead_at_the_end_counts_as_much_as_asked_for(share):
    """The position is decided: the only player's result is 0, and its lead 2."""
    game = masume.load(Alone())
    found = MCTS(game, simulations=300, horizon=1, score_scale=2.0, lead_share=share).search(game.new_state())
    assert found.slots[0].values.max() == pytest.approx(share * np.tanh(1), abs=0.03)


def test_playouts_of_a_policy():
    provider = Counting(length=4, memory=False)
    game = masume.load(provider)
    found = MCTS(game, simulations=200, policy="highest").search(game.new_state())
    assert found.simulations == 200


def test_bandits_begin_with_the_choice_of_the_prior():
    """The wary player takes the nearest item, up to whatever it costs; the planner goes to three others."""
    game = masume.load("chaser", height=1, width=12, n_blocks=0, n_items=0)
    state = game.parse("..*C.***...H")
    for code in (9, 8, 10, 8):  # searches to the right and the left
        state.apply(code)
    walks = {"left": 2, "right": 1}
    fields = {"simulations": 1, "policy": "wary", "horizon": 8, "score_scale": 5.0}
    assert MCTS(game, **fields).search(state).actions == [walks["left"]]
    assert MCTS(game, prior="wary", **fields).search(state).actions == [walks["left"]]
    assert MCTS(game, prior="planner", **fields).search(state).actions == [walks["right"]]


def test_several_slots_begin_with_what_the_policy_does():
    """Both players' agents start on the cells of 9 and 5 points, which other choices have to beat."""
    points = [0, 9, 0, 0, 0, 5, 0]
    game = masume.load("kakomimasu", width=7, height=1, n_agents=2, total_turns=3, points=points)
    state = game.new_state()
    found = MCTS(game, simulations=1, policy="gather").search(state)
    assert [slot.actions.tolist() for slot in found.slots] == [[18], [22], [18], [22]]
    found = MCTS(game, simulations=200, policy="gather", exploration=100.0).search(state)
    for slot in found.slots:
        assert len(slot.actions) == 8
        assert slot.visits.sum() == 200


# -- evaluators -------------------------------------------------------------------------------------


def uniform(game):
    def evaluator(observations, players):
        assert all(len(array) == len(players) for array in observations.values())
        return np.ones((len(players), game.num_slots, game.num_actions)), np.zeros((len(players), game.num_players))

    return evaluator


def test_an_evaluator_that_knows_nothing_still_finds_wins_at_the_end():
    provider = Nim(5)
    game = masume.load(provider)
    found = MCTS(game, simulations=2000, evaluator=uniform(game), leaves=4).search(game.new_state())
    assert found.actions == [1]
    assert found.value[0] > 0.5


@pytest.mark.parametrize("share", [0, 0.25, 1])
def test_a_playout_has_its_share_in_the_value_of_a_leaf(share):
    """Of two stones the first player takes one, and the other wins, whatever the evaluator expects."""
    game = masume.load(Nim(2))

    def evaluator(observations, players):
        return np.ones((len(players), 3)), np.tile([0.5, -0.5], (len(players), 1))

    search = MCTS(game, simulations=3, evaluator=evaluator, leaves=1, playout_share=share)
    slot = search.search(game.new_state()).slots[0]
    assert slot.actions.tolist() == [0, 1]
    assert slot.values.tolist() == [0.5 - 1.5 * share, 1]


@pytest.mark.parametrize(("name", "fields"), [("kakomimasu", KAKOMIMASU), ("chaser", {}), ("battleship", {})])
def test_with_playouts_alone_the_values_of_an_evaluator_do_not_count(name, fields):
    """The playouts are those that the game recommends; the same seed gives the same search."""
    game = masume.load(name, **fields)
    state = game.new_state(3)

    def searched(expected, share):
        def evaluator(observations, players):
            return uniform(game)(observations, players)[0], np.full((len(players), game.num_players), expected)

        search = MCTS(game, simulations=60, evaluator=evaluator, playout_share=share, **read_tuning(game))
        return [(slot.visits.tolist(), slot.values.tolist()) for slot in search.search(state, 0, 5).slots]

    assert searched(0.0, 1) == searched(0.7, 1) == searched(0.7, 1)
    assert searched(0.0, 0.5) != searched(0.7, 0.5)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"playout_share": 0.5}, "playout_share: expected 0 without an evaluator, got 0.5"),
        ({"playout_share": 1.5, "evaluator": len}, "playout_share: expected 0..1, got 1.5"),
    ],
)
def test_a_bad_share_of_playouts_is_refused(arguments, told):
    with pytest.raises(masume.ConfigError, match=told):
        MCTS(masume.load(Nim(9)), simulations=9, **arguments)


def test_priors_say_where_to_look_first():
    provider = Nim(30)
    game = masume.load(provider)

    def evaluator(observations, players):
        return np.tile([0.0, 7.0, 1.0], (len(players), 1)), np.zeros((len(players), 2))

    found = MCTS(game, simulations=40, evaluator=evaluator, leaves=1).search(game.new_state())
    assert found.slots[0].visits[1] > 30


@pytest.mark.parametrize("fields", [("kakomimasu", KAKOMIMASU), ("chaser", {})], ids=["kakomimasu", "chaser"])
def test_many_positions_share_the_evaluator(fields):
    game = masume.load(fields[0], **fields[1])
    sizes = []

    def evaluator(observations, players):
        assert {name: array.shape[0] for name, array in observations.items()} == dict.fromkeys(
            observations, len(players)
        )
        sizes.append(len(players))
        return uniform(game)(observations, players)

    search = MCTS(game, simulations=50, evaluator=evaluator, leaves=8)
    found = search.search_many([game.new_state(seed) for seed in range(4)])
    assert [result.simulations for result in found] == [50] * 4
    assert max(sizes) == 8
    assert search.search_many([]) == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda k: (np.ones((k, 3)), np.full((k, 2), np.nan)), "evaluator: values: not all are finite"),
        (lambda k: (np.ones((k, 4)), np.zeros((k, 2))), r"evaluator: priors: expected float32\[\d+, 1, 3\]"),
        (lambda k: (-np.ones((k, 3)), np.zeros((k, 2))), "evaluator: priors: one is negative"),
        (lambda k: (np.full((k, 3), -1e-45), np.zeros((k, 2))), "evaluator: priors: one is negative"),
        (lambda k: (np.full((k, 3), np.inf), np.zeros((k, 2))), "evaluator: priors: not all are finite"),
        (lambda k: (np.ones((k, 3)), np.full((k, 2), -np.inf)), "evaluator: values: not all are finite"),
        (lambda k: (np.ones((k, 3)), np.zeros((k, 3))), r"evaluator: values: expected float32\[\d+, 2\]"),
        (lambda k: np.zeros((k, 3)), "evaluator: "),
        (lambda k: None, r"evaluator: expected \(priors, values\), got None"),
        (lambda k: (np.ones((k, 3)), None), "evaluator: values: "),
        (lambda k: ([[1.0], [1.0, 2.0]], np.zeros((k, 2))), "evaluator: priors: "),
    ],
)
def test_an_evaluator_that_answers_nonsense_is_refused(answer, message):
    provider = Nim(9)
    game = masume.load(provider)
    search = MCTS(game, simulations=100, evaluator=lambda observations, players: answer(len(players)))
    with pytest.raises(ValueError, match=message):
        search.search(game.new_state())


def test_an_evaluator_may_answer_all_finite_numbers():
    """The greatest and the smallest, and -0.0, which is not negative; values may be negative."""
    priors, values = np.array([-0.0, 3.4e38, 1e-45], np.float32), np.array([-3.4e38, -0.0], np.float32)
    game = masume.load(Nim(9))
    search = MCTS(
        game,
        simulations=20,
        evaluator=lambda observations, players: (
            np.tile(priors, (len(players), 1)),
            np.tile(values, (len(players), 1)),
        ),
    )
    assert search.search(game.new_state()).simulations == 20


@pytest.mark.parametrize("error", [RuntimeError("no network"), ValueError("no network")])
def test_what_an_evaluator_raises_comes_through_and_what_was_found_stands(error):
    provider = Nim(9)
    game = masume.load(provider)
    calls = []

    def evaluator(observations, players):
        calls.append(len(players))
        if len(calls) == 4:
            raise error
        return uniform(game)(observations, players)

    search = MCTS(game, simulations=100, evaluator=evaluator)
    with pytest.raises(type(error), match=r"^no network$"):
        search.search(game.new_state())
    done = sum(calls[:3])
    found = search.search(game.new_state())
    assert (found.simulations, found.new_simulations) == (done + 100, 100)
    assert found.slots[0].visits.sum() == done + 100 - 1  # the first simulation evaluated the root
    assert (abs(found.slots[0].values) <= 1).all()  # no assumed loss is left


def test_ctrl_c_in_an_evaluator_ends_a_search_with_what_was_found():
    provider = Nim(9)
    game = masume.load(provider)
    calls = []

    def evaluator(observations, players):
        calls.append(len(players))
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return uniform(game)(observations, players)

    found = MCTS(game, simulations=1000, evaluator=evaluator).search(game.new_state())
    assert found.was_interrupted
    assert found.simulations == sum(calls[:4])
    assert found.slots[0].visits.sum() == found.simulations - 1


def test_an_evaluator_is_asked_once_for_the_root():
    """A batch of leaves that are all the root would be useless."""
    provider = Nim(9)
    game = masume.load(provider)
    found = MCTS(game, simulations=17, evaluator=uniform(game), leaves=16).search(game.new_state())
    assert found.slots[0].visits.sum() == 16


def test_a_root_that_alone_was_evaluated_has_its_priors_for_a_policy():
    provider = Nim(9)
    game = masume.load(provider)

    def evaluator(observations, players):
        return np.tile([1.0, 3.0, 5.0], (len(players), 1)), np.zeros((len(players), 2))

    found = MCTS(game, simulations=1, evaluator=evaluator).search(game.new_state())
    assert found.slots[0].policy.tolist() == [0.25, 0.75]
    assert found.actions == [1]
    assert np.isnan(found.value).all()


def test_an_evaluator_may_be_an_object_that_is_empty():
    provider = Nim(9)
    game = masume.load(provider)

    class Network(list):
        def __call__(self, observations, players):
            return uniform(game)(observations, players)

    assert MCTS(game, simulations=20, evaluator=Network()).search(game.new_state()).simulations == 20


def test_a_code_that_was_not_legal_in_the_sample_that_was_evaluated_is_tried():
    """Player 1 may say 1 in states of one coin, 2 in those of the other: both are in the tree of player 0."""

    class Coin(Guess):
        def slots(self, _, state, players):
            players[0] = self.at(state).ply % 2
            return int(self.at(state).ply < 2)

        def legal(self, _, state, slot, codes):
            s = self.at(state)
            codes[0], codes[1] = 0, 1 + s.score[1] if s.ply else 1
            return 2

        def apply(self, table, state, memory, codes):
            s = self.at(state)
            s.ply, s.score[0] = s.ply + 1, codes[0]
            return int(s.ply == 2)

        def returns(self, _, state, out):
            s = self.at(state)
            out[1] = float(s.score[0] > 0) if s.ply == 2 else 0.0
            out[0] = -out[1]

    provider = Coin(told=False)
    game = masume.load(provider)
    found = MCTS(game, simulations=400, evaluator=uniform(game), leaves=1).search(game.new_state())
    assert found.value[0] < -0.8  # player 1 has a winning code for either coin


def test_a_search_is_not_entered_twice():
    provider = Nim(9)
    game = masume.load(provider)

    def evaluator(observations, players):
        with pytest.raises(RuntimeError, match="search: another search is running"):
            search.search(game.new_state())
        return uniform(game)(observations, players)

    search = MCTS(game, simulations=40, evaluator=evaluator)
    assert search.search(game.new_state()).simulations == 40


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "simulations: expected simulations or ms"),
        ({"simulations": 1, "ms": 1}, "simulations: expected"),
        ({"simulations": 0}, "simulations: expected"),
        ({"simulations": -5}, "simulations: expected .*, got -5"),
        ({"ms": 10**12}, "ms: expected"),
        ({"simulations": 1, "threads": 0}, "threads: expected 1..256, got 0"),
        ({"simulations": 1, "exploration": -1}, "exploration: expected .*, got -1"),
        ({"simulations": 1, "exploration": float("nan")}, "exploration: expected .*, got nan"),
        ({"simulations": 1, "policy": "best"}, "policy: expected one of random, forager, wary, planner, got 'best'"),
        (
            {"simulations": 1, "policy": "wary", "prior": "best"},
            "prior: expected one of random, forager, wary, planner",
        ),
        ({"simulations": 1, "prior": "wary"}, "prior: expected None with random playouts"),
        ({"simulations": 1, "lead_share": 1.5}, "lead_share: expected .*, got 1.5"),
        ({"simulations": 1, "per_sample": 0}, "per_sample: expected .*, got 0"),
        ({"simulations": 1, "selection": "regret"}, "selection: regret matching"),
        ({"simulations": 1, "selection": "luck"}, "selection: expected one of ucb, regret, got 'luck'"),
        ({"simulations": 1, "horizon": 3}, "score_scale: expected a number above 0 with a horizon"),
        ({"simulations": 1, "observe": ["nothing"]}, "observe: expected one of .*, got 'nothing'"),
        ({"simulations": 1, "memory_mb": 0}, "memory_mb: expected .*, got 0"),
        ({"simulations": 1, "memory_mb": 1, "threads": 256}, r"memory_mb: expected at least \d+ bytes for each tree"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(ConfigError, match=message):
        MCTS(chaser(), **arguments)


def test_wrong_types_are_refused():
    with pytest.raises(ConfigTypeError, match="simulations: expected an int"):
        MCTS(chaser(), simulations=True)
    with pytest.raises(ConfigTypeError, match="exploration: expected a number"):
        MCTS(chaser(), simulations=1, exploration="1")
    with pytest.raises(ConfigTypeError, match="evaluator: expected a function, got 3"):
        MCTS(chaser(), simulations=1, evaluator=3)


def test_positions_are_checked():
    provider = Nim(1)
    game = masume.load(provider)
    search = MCTS(game, simulations=10)
    state = game.new_state()
    with pytest.raises(ValueError, match="player: 1 has nothing to decide"):
        search.search(state, 1)
    state.apply(0)
    with pytest.raises(GameOverError):
        search.search(state)
    with pytest.raises(ConfigError, match="state: "):
        search.search(chaser().new_state())


def test_a_game_that_hides_things_needs_samples():
    provider = Counting(resample=TYPES["resample"]())
    with pytest.raises(ConfigError, match="game: counting hides things"):
        MCTS(masume.load(provider), simulations=1)


def test_a_position_without_samples_is_an_error():
    class Lost(Counting):
        def resample(self, *_):
            return -1

    provider = Lost()
    game = masume.load(provider)
    with pytest.raises(ValueError, match="state: no sample in 16 tries that player 0"):
        MCTS(game, simulations=10).search(game.new_state())


@pytest.mark.parametrize("has_sampler", [False, True], ids=["resample", "draw"])
@pytest.mark.parametrize(("per_sample", "drawn"), [(1, 100), (7, 15), (200, 1)])
def test_simulations_share_samples(per_sample, drawn, has_sampler):
    """One sample serves `per_sample` simulations, and every search draws its own."""

    class Shared(Guess):
        def news(self, _, state, memory, player, codes):
            return codes[0]

        def resample(self, _, state, memory, player, seed, out_state, out_memory):
            self.drawn += 1
            return super().resample(_, state, memory, player, seed, out_state, out_memory)

    class Drawn(Shared):
        def prepare(self, _, state, memory, player, sampler):
            ct.cast(sampler, ct.POINTER(State))[0] = self.at(state)
            return 0

        def draw(self, _, sampler, seed, out_state, out_memory):
            ct.cast(out_state, ct.POINTER(State))[0] = ct.cast(sampler, ct.POINTER(State))[0]
            return self.resample(_, sampler, None, 0, seed, out_state, out_memory)

    provider = Drawn(told=False) if has_sampler else Shared(told=False)
    provider._table.sampler_size = ct.sizeof(State) if has_sampler else 0
    provider.drawn = 0
    search = MCTS(masume.load(provider), simulations=100, per_sample=per_sample)
    for n in (1, 2):
        assert search.search(search.game.new_state(), seed=n).simulations == 100
        assert provider.drawn == n * drawn


@pytest.mark.parametrize("seeds", [[], [0, 1]], ids=["none", "some"])
def test_a_game_that_prepares_samples_is_asked_for_no_others(seeds):
    """One preparation per search, one draw per simulation (16 if there is no sample), into a state without memory."""

    class Prepared(Guess):
        def news(self, _, state, memory, player, codes):
            return codes[0]

        def resample(self, *_):
            raise AssertionError

        def prepare(self, _, state, memory, player, sampler):
            self.prepared.append(player)
            ct.cast(sampler, ct.POINTER(State))[0] = self.at(state)
            return 0

        def draw(self, _, sampler, seed, out_state, out_memory):
            self.drawn.append(out_memory)
            ct.cast(out_state, ct.POINTER(State))[0] = ct.cast(sampler, ct.POINTER(State))[0]
            self.at(out_state).score[1] = seeds[seed % 2] if seeds else 0
            return 0 if seeds else -1

    provider = Prepared(told=False)
    provider._table.sampler_size = ct.sizeof(State)
    provider._table.flags |= 4
    provider.prepared, provider.drawn = [], []
    search = MCTS(masume.load(provider), simulations=100)
    if not seeds:
        with pytest.raises(ValueError, match="state: no sample in 16 tries"):
            search.search(search.game.new_state())
        assert (provider.prepared, provider.drawn) == ([0], [None] * 16)
        return
    found = search.search(search.game.new_state())
    assert (provider.prepared, provider.drawn) == ([0], [None] * 100)
    assert found.value[0] == pytest.approx(0, abs=0.3)


def test_ctrl_c_ends_a_search_with_what_was_found():
    game = masume.load("kakomimasu", **KAKOMIMASU)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    found = MCTS(game, simulations=1_000_000_000, threads=2).search(game.new_state())
    timer.join()
    assert found.was_interrupted
    assert 0 < found.simulations < 1_000_000_000
    assert len(found.actions) == 4


# -- agents -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [("kakomimasu", KAKOMIMASU), ("chaser", {"turn_limit": 5})], ids=["all", "turns"])
def test_a_searcher_plays_whole_games(fields):
    game = masume.load(fields[0], **fields[1])
    games = [play_game(game, [make_agent("mcts:60", game), make_agent("random", game)], seed=3) for _ in range(2)]
    assert games[0].state.is_terminal()
    assert games[0].state.to_bytes() == games[1].state.to_bytes()


@pytest.mark.parametrize("name", masume.games())
def test_what_suits_a_game_is_taken_by_the_search(name):
    game = masume.load(name)
    assert read_tuning(game) == getattr(game.part("agents"), "MCTS", {})
    MCTS(game, simulations=1, **read_tuning(game))


def test_a_searcher_plays_with_what_suits_the_game():
    game = masume.load("kakomimasu", **KAKOMIMASU)
    state = game.new_state()
    agent = make_agent("mcts:50", game)
    agent.start(game, 0, 7)
    found = MCTS(game, simulations=50, **read_tuning(game)).search(state, 0, Rng(7).next())
    others = MCTS(game, simulations=50).search(state, 0, Rng(7).next())
    assert agent.act(View(state, 0)) == found.actions[:2] != others.actions[:2]


@pytest.mark.parametrize("budget", ["", "0", "-3", "1.5", "0ms", "ms", "10h", "9" * 13, "5MS"])
def test_a_budget_is_a_number_of_simulations_or_milliseconds(budget):
    with pytest.raises(ConfigError, match=f"agents: mcts:{budget}: expected a number"):
        make_agent(f"mcts:{budget}", chaser())


def test_a_searcher_names_its_budget():
    assert make_agent("mcts:50ms", chaser()).name == "mcts:50ms"
