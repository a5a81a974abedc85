"""The solved last turns: the value and strategies of a slow solver of the full matrix, budgets, and the agent."""

import itertools
import signal
import threading

import numpy as np
import pytest

import masume
from golden import forecast
from masume.agent import View
from masume.agents.make import make_agent
from masume.core.function_table import FunctionTable
from masume.core.rng import Rng
from masume.search import Beam
from masume.search._ending import Ending
from search.games import Matrix

TOLERANCE = 2e-6  # of both solvers
LONE = {"width": 5, "height": 5, "n_agents": 1, "total_turns": 9, "symmetry": "none"}
PAIRS = {"width": 6, "height": 6, "n_agents": 2, "total_turns": 8, "symmetry": "none"}
CYCLE = [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]


def late(fields, left, seed):
    """Return a position of random play in which `left` turns are left."""
    state, rng = masume.load("kakomimasu", seed=seed, **fields).new_state(), Rng(seed)
    for _ in range(fields["total_turns"] - left):
        legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
        state.apply([int(codes[rng.below(len(codes))]) for codes in legal])
    return state


def joint_codes(state, player):
    """Return a player's joint codes, each a tuple of the codes of its slots."""
    return list(itertools.product(*(state.legal_actions(k) for k, p in enumerate(state.slots) if p == player)))


def balance(matrix):
    """Return the value of a matrix game and both mixed strategies, by the simplex method on the whole matrix."""
    matrix = np.asarray(matrix)
    low, width = matrix.min(), max(np.ptp(matrix), 1e-9)
    rows, columns = matrix.shape
    table = np.block(
        [[(matrix - low) / width + 1, np.eye(rows), np.ones((rows, 1))], [-np.ones(columns), np.zeros(rows + 1)]]
    )
    basis = list(range(columns, columns + rows))
    while table[-1, :-1].min() < -1e-11:
        column = int(table[-1, :-1].argmin())
        ratios = np.where(table[:-1, column] > 1e-11, table[:-1, -1], np.inf) / np.maximum(table[:-1, column], 1e-11)
        ties = np.flatnonzero(ratios <= ratios.min() + 1e-11)
        row = int(ties[table[ties, column].argmax()])
        table[row] /= table[row, column]
        others = np.arange(rows + 1) != row
        table[others] -= np.outer(table[others, column], table[row])
        basis[row] = column
    second = np.zeros(columns + rows)
    second[basis] = table[:-1, -1]
    first, second = table[-1, columns:-1].clip(0), second[:columns].clip(0)
    first, second = first / first.sum(), second / second.sum()
    sure, most = (first @ matrix).min(), (matrix @ second).max()
    assert most - sure < 1e-7, "the slow solver proves its value"
    return (sure + most) / 2, first, second


def end_value(state):
    first, second = state.scores().tolist()
    return float(state.returns()[0]) + 0.02 * (first - second) / (100 + abs(first - second))


def full_matrix(state):
    """Return the values of the first player after all pairs of joint codes."""

    values = {}

    def value_after(codes):
        after = state.clone()
        after.apply(list(codes))
        data = after.to_bytes()
        if data not in values:
            values[data] = end_value(after) if after.is_terminal() else balance(full_matrix(after))[0]
        return values[data]

    return [[value_after(own + other) for other in joint_codes(state, 1)] for own in joint_codes(state, 0)]


def chances_of(strategy, state, player):
    """Return the chance of each joint code of the full matrix."""
    numbers = {codes: number for number, codes in enumerate(joint_codes(state, player))}
    slots = [slot for slot, p in enumerate(state.slots) if p == player]
    chances = np.zeros(len(numbers))
    for codes, chance in zip(*strategy, strict=True):
        chances[numbers[tuple(codes[slots].tolist())]] += chance
    return chances


# -- exact ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "left", "seeds"),
    [
        *((LONE, 1, range(first, first + 25)) for first in range(0, 100, 25)),
        *(({**LONE, "width": 4, "height": 3}, 2, range(first, first + 5)) for first in range(0, 40, 5)),
        *((PAIRS, 1, range(first, first + 5)) for first in range(0, 60, 5)),
    ],
    ids=lambda value: f"{value[0]}" if isinstance(value, range) else None,
)
def test_values_and_strategies_are_those_of_the_full_matrix(fields, left, seeds):
    for seed in seeds:
        state = late(fields, left, seed)
        ending = Ending(state.game)
        matrix = np.array(full_matrix(state))
        value, *_ = balance(matrix)
        for player, payoffs in enumerate((matrix, -matrix.T)):
            strategy = ending.run(state, player, 0, 0.0)
            chances = chances_of(strategy, state, player)
            assert chances.sum() == pytest.approx(1)
            assert ending.value == pytest.approx(value if player == 0 else -value, abs=TOLERANCE)
            assert (chances @ payoffs).min() >= ending.value - TOLERANCE


def test_a_mixed_strategy_is_found_and_drawn_by_seed():
    """Rock, paper and scissors: the toy's lead in points counts a little, so the chances are a third each, nearly."""
    provider = Matrix(CYCLE)
    game = masume.load(provider)
    beam, state = Beam(game, simulations=1000), game.new_state()
    codes, chances = Ending(game).run(state, 0, 0, 0.0)
    assert sorted(codes[:, 0].tolist()) == [0, 1, 2]
    assert chances == pytest.approx([1 / 3] * 3, abs=1e-3)
    played = [beam.search(state, 0, seed).actions[0] for seed in range(600)]
    assert min(played.count(code) for code in range(3)) > 150
    assert played == [Beam(game, simulations=1000).search(state, 0, seed).actions[0] for seed in range(600)]


def test_a_saddle_point_is_played_always():
    provider = Matrix([[0.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    game = masume.load(provider)
    for player in range(2):
        codes, chances = Ending(game).run(game.new_state(), player, 0, 0.0)
        assert (codes[:, player].tolist(), chances.tolist()) == ([0], [1.0])


# -- budgets ----------------------------------------------------------------------------------------


def test_it_is_not_tried_where_it_is_expected_to_take_too_long():
    state = late(PAIRS, 1, 3)
    ending = Ending(state.game)
    expected = 4 * (len(joint_codes(state, 0)) + len(joint_codes(state, 1)))
    assert ending.run(state, 0, expected - 1, 0.0) is None
    assert ending.simulations == 0
    assert ending.run(state, 0, expected, 0.0) is not None
    assert 0 < ending.simulations <= expected
    assert ending.run(late(PAIRS, 4, 3), 0, 0, 0.0) is None
    assert ending.simulations == 0


def test_time_and_ctrl_c_end_it():
    state = late({**PAIRS, "width": 8, "height": 8}, 3, 1)
    ending = Ending(state.game)
    assert ending.run(state, 0, 0, 0.05) is None
    assert not ending.was_interrupted
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    assert ending.run(state, 0, 0, 0.0) is None
    timer.join()
    assert ending.was_interrupted


def test_others_than_two_players_at_once_are_refused():
    for game in (masume.load("kakomimasu", n_players=3), masume.load("nezumi")):
        with pytest.raises(ValueError, match=f"{game.name}: expected two players who decide at once"):
            Ending(game)


# -- the beam and its agent -------------------------------------------------------------------------


def test_a_beam_that_is_done_solves_the_last_turn():
    state = late(PAIRS, 1, 5)
    plan = Beam(state.game, simulations=5000, policy_share=0).search(state, 1, seed=2)
    ending = Ending(state.game)
    codes, _ = ending.run(state, 1, 0, 0.0)
    assert plan.value == ending.value
    assert ending.simulations < plan.simulations <= 5000
    assert plan.codes[0, 2:].tolist() in codes[:, 2:].tolist()
    assert plan.actions == plan.codes[0].tolist()
    after = state.clone()
    after.apply(plan.actions)
    (other, own), (others_was, was) = after.scores(), forecast(FunctionTable(state.game), state)
    assert plan.gain == pytest.approx((own - other) - (was - others_was))


def test_time_suffices_too():
    state = late(LONE, 1, 5)
    assert Beam(state.game, ms=1000).search(state, 0).value is not None


@pytest.mark.parametrize(("fields", "left", "simulations"), [(PAIRS, 4, 20_000), (PAIRS, 1, 500), (PAIRS, 2, 2000)])
def test_elsewhere_the_beam_plans_as_ever(fields, left, simulations):
    state = late(fields, left, 7)
    beams = [Beam(state.game, simulations=simulations) for _ in range(2)]
    beams[1]._ending = None
    plans = [beam.search(state, 0, seed=3) for beam in beams]
    assert plans[0].value is None
    assert plans[0].codes.tolist() == plans[1].codes.tolist()
    assert (plans[0].gain, plans[0].simulations) == (plans[1].gain, plans[1].simulations)


def test_more_players_have_no_value():
    state = late({**LONE, "n_players": 3}, 1, 1)
    assert Beam(state.game, simulations=5000).search(state, 0).value is None


def test_the_agent_plays_the_solved_turn():
    """Its codes belong to the strategy, and are not always those that would gain most if the other stayed."""
    played = 0
    for seed in range(40):
        state = late(PAIRS, 1, seed)
        codes, _ = Ending(state.game).run(state, 0, 0, 0.0)
        agent = make_agent("beam:5000", state.game)
        agent.start(state.game, 0, seed)
        action = agent.act(View(state, 0))
        agent.close()
        assert action in codes[:, :2].tolist()
        beam = Beam(state.game, simulations=5000)
        beam._ending = None
        played += action != beam.search(state, 0, Rng(seed).next()).actions[:2]
    assert played > 0
