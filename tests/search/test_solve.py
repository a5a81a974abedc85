"""solve: its values equal those of plain minimax, its lines keep them, and it reports what it cannot solve."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import masume
from masume.errors import ConfigError, SearchError
from masume.nezumi.stages import Stage, generate
from masume.search import solve
from masume.search._solve import Prover
from search.games import Open, followers, tiny
from shell import interrupt
from toy import Counting, State

OBJECTIVES = ("scores", "returns")


def minimax(state, objective, known):
    """Return player 0's value from all continuations; `known` holds that of positions met."""
    if state.is_terminal():
        return getattr(state, objective)()[0]
    position = json.dumps(state.to_dict())
    if position not in known:
        values = [minimax(following, objective, known) for following in followers(state)]
        known[position] = max(values) if state.current_player == 0 else min(values)
    return known[position]


def assert_solved(game, twin, objective, **options):
    """Check the solution of the start against minimax on this twin of it."""
    solution = solve(game.new_state(), objective, **options)
    known = {}
    value = minimax(twin, objective, known)
    assert solution.values == (value, -value)
    firsts = [
        action
        for action, following in zip(twin.legal_actions(), followers(twin), strict=True)
        if minimax(following, objective, known) == value
    ]
    assert [line[0] for line in solution.lines] == firsts
    for line in solution.lines:
        state = game.new_state()
        for action in line:
            state.apply(action)
        assert state.is_terminal()
        assert getattr(state, objective)().tolist() == [value, -value]
    assert solution.num_states >= 1
    return solution, known


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(40))
def test_values_of_tiny_stages_are_those_of_minimax(seed, objective):
    game = masume.load("nezumi", stage=tiny(seed), surround_flip=bool(seed % 2))
    assert_solved(game, game.reference.State.new(game.config), objective)


def test_the_tiny_stages_are_of_all_kinds():
    known = [solve(masume.load("nezumi", stage=tiny(seed)).new_state()) for seed in range(40)]
    assert {np.sign(solution.values[1]) for solution in known} == {-1, 0, 1}
    assert max(len(solution.lines) for solution in known) > 1
    assert max(len(line) for solution in known for line in solution.lines) > 12


def test_points_are_left_out_of_what_a_position_is_known_by():
    game = masume.load("nezumi", stage=Stage.parse(generate(1, 5, 5, 20, 2, 2, 4, 3, 2)))
    state = game.new_state()
    folded, whole = solve(state), solve(state, sums=())
    assert folded.values == whole.values
    assert folded.num_states < whole.num_states


@pytest.mark.slow
def test_values_of_generated_stages_are_those_of_the_rules():
    """Section 4.4 of the rules states the value of the mice on each."""
    values = []
    for seed in range(10):
        game = masume.load("nezumi", stage=generate(seed, 6, 6, 20, 2, 3, 5, 0, 2))
        values.append(solve(game.new_state(), max_states=5_000_000).values[1])
    assert values == [3, -5, 0, -2, -3, -1, -6, -2, 1, -3]


def test_a_value_of_the_rules():
    game = masume.load("nezumi", stage=generate(1, 6, 6, 20, 2, 3, 5, 0, 2))
    assert solve(game.new_state()).values == (5, -5)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("exact", [False, True], ids=["codes", "actions"])
def test_a_plug_in_is_solved(exact, objective):
    game = masume.load(Open(exact=exact))
    solution, known = assert_solved(game, Twin(game.new_state()), objective)
    assert solution.num_states <= len(known)


class Twin:
    """State of a plug-in with the reference's verbs, and with every byte of it in its dict."""

    def __init__(self, state):
        self.state = state
        for verb in ("is_terminal", "apply", "returns", "scores"):
            setattr(self, verb, getattr(state, verb))

    @property
    def current_player(self):
        return self.state.current_player

    def legal_actions(self):
        return self.state.legal_actions().tolist()

    def clone(self):
        return Twin(self.state.clone())

    def to_dict(self):
        return {"bytes": self.state.to_bytes().hex()}


def test_a_finished_game_has_its_value_and_no_line():
    state = masume.load(Open(length=1)).new_state()
    state.apply(1)
    solution = solve(state)
    assert solution.values == tuple(state.scores())
    assert (solution.lines, solution.num_states) == ((), 0)


def test_looking_changes_nothing():
    state = masume.load("nezumi", stage=tiny(3)).new_state()
    before = state.to_bytes()
    assert solve(state) == solve(state)
    assert state.to_bytes() == before


def test_too_many_positions_are_refused():
    state = masume.load("nezumi").new_state()
    for max_states in (1, 7, 3000):
        with pytest.raises(SearchError, match=f"max_states={max_states} "):
            solve(state, max_states=max_states)
    state = masume.load("nezumi", stage=tiny(3)).new_state()
    count = solve(state).num_states
    assert solve(state, max_states=count).num_states == count
    with pytest.raises(SearchError, match="max_states"):
        solve(state, max_states=count - 1)


def test_a_long_search_stops_at_ctrl_c():
    code = (
        "import masume; from masume.search import solve; state = masume.load('nezumi', stage='feast').new_state(); "
        "print('go', flush=True); solve(state, max_states=2**31 - 1)"
    )
    assert b"KeyboardInterrupt" in interrupt(code)


@pytest.mark.parametrize(
    ("provider", "objective", "message"),
    [
        (Counting(), "returns", "expected perfect information"),
        (Counting(units=2, memory=False), "returns", "at once"),
        (Counting(memory=False), "scores", "expected opposite scores"),
        (Open(max_game_length=0), "scores", "unbounded"),
        (Open(max_game_length=10_001), "scores", "at most 10000 plies, got 10001"),
        (Open(num_players=3), "scores", "two players, got one of 3"),
    ],
)
def test_games_of_another_kind_are_refused(provider, objective, message):
    with pytest.raises(SearchError, match=message):
        solve(masume.load(provider).new_state(), objective)


class Halves(Open):
    """Counting whose winner gets half a point."""

    def returns(self, table, state, out):
        super().returns(table, state, out)
        for player in range(2):
            out[player] /= 2


def test_returns_that_are_no_whole_numbers_are_refused():
    with pytest.raises(SearchError, match=r"0\.5"):
        solve(masume.load(Halves()).new_state(), "returns")


def test_fields_of_points_have_to_be_fields():
    state = masume.load(Open()).new_state()
    assert State.score.offset == state.game.state_dtype.fields["score"][1]
    with pytest.raises(ConfigError, match=r"sums: expected one of .*, got 'points'"):
        solve(state, sums=("points",))
    with pytest.raises(ConfigError, match="sums: expected none with objective"):
        solve(state, "returns", sums=("score",))
    with pytest.raises(ConfigError, match="objective"):
        solve(state, "wins")
    for bad in (0, -1, 2**31, True, 1.5):
        with pytest.raises(ConfigError, match="max_states"):
            solve(state, max_states=bad)
    assert solve(state, sums=("score",)).values == solve(state).values


def test_a_prover_serves_one_game_and_one_caller_at_a_time():
    """Its tables belong to one game; a second thread is refused while the first one searches."""
    game, other = masume.load("nezumi", stage="garden"), masume.load("nezumi", stage="pantry")
    state = game.new_state()
    prover = Prover(state, 1_000_000, [], False)
    for call in (prover.measure, lambda position: prover.prove(position, 10, 0)):
        with pytest.raises(ValueError, match="expected one of Game"):
            call(other.new_state())
    began = threading.Event()

    def search():
        began.set()
        return prover.prove(state, 0, 0.5)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(search)
        began.wait()
        refused = set()
        while not running.done():
            try:
                prover.measure(state)
            except RuntimeError as error:
                refused.add(str(error))
        assert running.result() is None
    assert refused == {"search: it is running"}
    assert prover.measure(state) > 20
