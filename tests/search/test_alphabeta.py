"""Alpha-beta: exact if it sees the end, otherwise guided by forecasts, and reproducible for a budget of nodes."""

import signal
import threading

import numpy as np
import pytest

import masume
from masume.agent import View
from masume.agents.make import make_agent
from masume.agents.searching import AlphaBetaAgent
from masume.core.rng import Rng
from masume.errors import ConfigError, ConfigTypeError, GameOverError
from masume.nezumi.stages import generate
from masume.play.driver import play_game
from masume.search import MCTS, AlphaBeta, solve
from masume.search._alphabeta import Ladder
from search.games import Alone, Matrix, Nim, Open, followers, tiny
from toy import Counting


def minimax(state, known):
    """Return (result, lead) of player 0 under perfect play, results before leads."""
    if state.is_terminal():
        scores = state.scores()
        return state.returns()[0], scores[0] - scores[1]
    if state.key not in known:
        values = [minimax(following, known) for following in followers(state)]
        known[state.key] = max(values) if state.current_player == 0 else min(values)
    return known[state.key]


def assert_exact(found, state, known):
    """Check that a search found what minimax finds for the position."""
    result, lead = minimax(state, known)
    sign = 1 if state.current_player == 0 else -1
    assert found.is_whole
    assert found.value.tolist() == [result, -result]
    assert found.lead == sign * lead
    following = state.clone()
    for action in found.line:
        assert minimax(following, known) == (result, lead)
        following.apply(action)
    assert found.line[0] == found.actions[0]


@pytest.mark.parametrize("seed", range(40))
def test_tiny_stages_are_played_as_minimax_plays_them(seed):
    """Search all positions of a line of play with one table: what earlier searches left in it does no harm."""
    game = masume.load("nezumi", stage=tiny(seed), surround_flip=bool(seed % 2))
    state, search, known, rng = game.new_state(), AlphaBeta(game, nodes=10**9), {}, Rng(seed)
    result = solve(state, "returns").values[0]
    assert minimax(state, known)[0] == result
    while not state.is_terminal():
        assert_exact(search.search(state), state, known)
        legal = state.legal_actions()
        state.apply(legal[rng.below(len(legal))])


@pytest.mark.parametrize("seed", range(40))
def test_mcts_comes_to_what_minimax_plays(seed):
    game = masume.load("nezumi", stage=tiny(seed))
    state, known = game.new_state(), {}
    found = MCTS(game, simulations=6000).search(state)
    state.apply(found.actions[0])
    assert minimax(state, known)[0] == minimax(game.new_state(), known)[0]


@pytest.mark.parametrize("seed", [1, 4, 6, 8, 14, 19])
def test_a_small_stage_is_proven(seed):
    """The cat wins on all of these but 6, where the mice win by points, and 19, where they win by a surround."""
    text = generate(seed, height=5, width=5, max_mice=2, zone=2, foods=4, turns=6)
    game = masume.load("nezumi", stage=text)
    state, search = game.new_state(), AlphaBeta(game, nodes=150_000)
    found = search.search(state)
    score, mice = solve(state).values[1], {6: 1, 19: 1}.get(seed, -1)
    assert found.value.tolist() == [-mice, mice]
    assert found.nodes <= 150_000
    if seed != 19:
        assert found.is_whole
        assert found.lead == 2 * score
        assert found.depth == len(found.line)
    for action in found.line:
        state.apply(action)
    assert state.is_terminal()
    assert state.returns()[1] == mice


def test_a_position_too_large_for_a_proof_costs_no_nodes_of_one():
    game = masume.load("nezumi", stage="granary")
    search = AlphaBeta(game, nodes=2000)
    assert search.search(game.new_state()).depth > 1
    assert search._endgame.visits == 0


@pytest.mark.parametrize("exact", [False, True], ids=["codes", "actions"])
def test_a_plug_in_without_forecast_goes_by_its_scores(exact):
    game = masume.load(Open(exact=exact))
    state = game.new_state()
    assert_exact(AlphaBeta(game, nodes=10**6).search(state), state, {})


@pytest.mark.parametrize("stones", range(1, 10))
def test_nim_is_played_as_it_is_solved(stones):
    provider = Nim(stones)
    game = masume.load(provider)
    found = AlphaBeta(game, nodes=10_000).search(game.new_state())
    assert found.value.tolist() == ([1, -1] if stones % 3 else [-1, 1])
    assert stones % 3 == 0 or found.actions == [stones % 3 - 1]


class Promise(Open):
    """Game in which the scores favour the low code and the forecast the high one."""

    def scores(self, _, state, out):
        out[0] = -self.at(state).score[0]
        out[1] = -out[0]

    def forecast(self, _, state, out):
        out[0] = self.at(state).score[0] + 0.5
        out[1] = -out[0]


def test_where_a_search_stops_it_goes_by_the_forecast():
    provider = Promise(length=60)
    game = masume.load(provider)
    found = AlphaBeta(game, nodes=1).search(game.new_state())
    assert (found.depth, found.is_whole) == (1, False)
    assert found.actions == [game.new_state().decode(1)]
    assert found.lead % 1 == 0
    assert found.lead > 0
    assert np.isnan(found.value).all()
    drawn = MCTS(game, simulations=200, horizon=1, score_scale=1.0).search(game.new_state())
    assert drawn.actions == found.actions


def test_equal_budgets_of_nodes_find_the_same():
    game = masume.load("nezumi", stage="ring")
    state = game.new_state()
    before = state.to_bytes()
    one, other = AlphaBeta(game, nodes=3000), AlphaBeta(game, nodes=3000)
    for _ in range(6):
        first, second = one.search(state), other.search(state)
        assert (first.actions, first.line, first.lead, first.depth) == (
            second.actions,
            second.line,
            second.lead,
            second.depth,
        )
        assert 3000 <= first.nodes <= 3000 + len(state.legal_actions())
        state.apply(first.actions[0])
    assert game.new_state().to_bytes() == before
    deeper = AlphaBeta(game, nodes=30_000).search(game.new_state())
    assert deeper.depth > one.search(game.new_state()).depth


def test_the_table_is_bounded_and_a_full_one_does_no_harm():
    game = masume.load("nezumi", stage=tiny(7))
    found = AlphaBeta(game, nodes=10**9, memory_mb=1).search(game.new_state())
    assert found.memory_bytes <= 2**20
    assert_exact(found, game.new_state(), {})
    large = masume.load("nezumi", stage="garden")
    assert AlphaBeta(large, nodes=100_000, memory_mb=1).search(large.new_state()).nodes >= 100_000


def test_a_time_is_kept():
    game = masume.load("nezumi", stage="ring")
    found = AlphaBeta(game, ms=20).search(game.new_state())
    assert found.seconds >= 0.02
    assert found.nodes_per_s > 0
    assert not found.was_interrupted


def test_ctrl_c_ends_a_search_with_what_was_found():
    game = masume.load("nezumi", stage="feast")
    state = game.new_state()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    found = AlphaBeta(game, nodes=1_000_000_000).search(state)
    timer.join()
    assert found.was_interrupted
    assert found.nodes < 1_000_000_000
    assert found.depth > 0
    assert found.actions[0] in state.legal_actions()


def test_what_another_signal_raises_comes_through():
    def refuse(*_):
        raise OSError("enough")

    game = masume.load("nezumi", stage="feast")
    was = signal.signal(signal.SIGUSR1, refuse)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGUSR1])
    timer.start()
    try:
        with pytest.raises(OSError, match="enough"):
            AlphaBeta(game, nodes=1_000_000_000).search(game.new_state())
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, was)


def test_two_threads_do_not_share_a_search():
    game = masume.load("nezumi", stage="feast")
    search, begun = AlphaBeta(game, ms=400), threading.Event()

    def run():
        begun.set()
        search.search(game.new_state())

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    refused = False
    while thread.is_alive() and not refused:
        try:
            search.search(game.new_state())
        except RuntimeError as error:
            refused = "another search is running" in str(error)
    thread.join()
    assert refused


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({}, ConfigError, "nodes: expected nodes or ms"),
        ({"nodes": 5, "ms": 5}, ConfigError, "nodes: expected nodes or ms"),
        ({"nodes": 0}, ConfigError, "nodes"),
        ({"nodes": -3}, ConfigError, "nodes"),
        ({"nodes": 10**9 + 1}, ConfigError, "nodes"),
        ({"nodes": 2.5}, ConfigTypeError, "nodes"),
        ({"ms": 0}, ConfigError, "ms"),
        ({"ms": 10**8}, ConfigError, "ms"),
        ({"ms": True}, ConfigTypeError, "ms"),
        ({"nodes": 5, "memory_mb": 0}, ConfigError, "memory_mb"),
    ],
)
def test_bad_budgets_are_refused(fields, error, message):
    with pytest.raises(error, match=message):
        AlphaBeta(masume.load("nezumi"), **fields)


def test_games_of_another_kind_are_refused():
    kinds = [
        (Counting(), "hides things"),
        (Counting(units=2, memory=False), "several decisions"),
        (Matrix([[0]]), "several decisions"),
        (Alone(), "game: expected two players, got 1"),
    ]
    for provider, message in kinds:
        with pytest.raises(ConfigError, match=message):
            AlphaBeta(masume.load(provider), nodes=10)


def test_finished_and_foreign_positions_are_refused():
    game = masume.load("nezumi", stage=tiny(3))
    search, state = AlphaBeta(game, nodes=100), game.new_state()
    with pytest.raises(ConfigError, match="state: expected one of"):
        search.search(masume.load("nezumi").new_state())
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    with pytest.raises(GameOverError):
        search.search(state)


# -- agents -----------------------------------------------------------------------------------------


def play(game, specs, seed=0):
    """Return the state at the end of a game between agents."""
    state, agents = game.new_state(seed), [make_agent(spec, game) for spec in specs]
    for player, agent in enumerate(agents):
        agent.start(game, player, seed + player)
    while not state.is_terminal():
        state.apply(agents[state.current_player].act(View(state, state.current_player)))
    return state


@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_searches_and_beats_random(seat):
    game = masume.load("nezumi", stage="garden")
    specs = ["random", "random"]
    specs[seat] = "alphabeta:300"
    ends = [play(game, specs, seed) for seed in range(3)]
    assert [end.returns()[seat] for end in ends] == [1, 1, 1]
    assert play(game, specs, 1).to_bytes() == ends[1].to_bytes()


@pytest.mark.parametrize("budget", ["", "0", "-1", "5h", "ms", "1e3", "99999999999", "5ms/turn"])
def test_a_budget_is_a_number_of_nodes_or_milliseconds(budget):
    with pytest.raises(ConfigError, match=f"agents: alphabeta:{budget}"):
        make_agent(f"alphabeta:{budget}", masume.load("nezumi"))


def test_agents_of_other_games_are_none():
    with pytest.raises(ConfigError, match="agents: unknown agent 'alphabeta:100'"):
        make_agent("alphabeta:100", masume.load("chaser"))
    with pytest.raises(ConfigError, match="alphabeta:NODES, alphabeta:MSms"):
        make_agent("nobody", masume.load("nezumi"))


class Recorded(MCTS):
    """Search that records the budgets it is given."""

    budgets: list

    def search(self, *arguments):
        Recorded.budgets.append((self.simulations, self.ms))
        return super().search(*arguments)


@pytest.mark.parametrize("budget", ["60/turn", "20ms/turn"])
def test_the_budget_of_a_turn_is_for_all_its_decisions(monkeypatch, budget):
    monkeypatch.setattr("masume.agents.searching.MCTS", Recorded)
    game = masume.load("terraforming", radius=2, max_turns=3)
    state, agent = game.new_state(1), make_agent(f"mcts:{budget}", game)
    agent.start(game, 0, 0)
    firsts = []
    while not state.is_terminal():
        Recorded.budgets = []
        player, count = state.current_player, 0
        while state.current_player == player:
            state.apply(agent.act(View(state, player)) if player == 0 else 0)
            count += 1
        if player:
            continue
        assert len(Recorded.budgets) == count
        simulations, ms = zip(*Recorded.budgets, strict=True)
        firsts.append(Recorded.budgets[0])
        if budget == "60/turn":
            assert sum(simulations) <= 60 + sum(number == 1 for number in simulations)
            assert list(simulations) == sorted(simulations, reverse=True)
        else:
            assert list(ms) == sorted(ms, reverse=True)
            assert all(given == 0.05 or given <= 5 for given in ms)
    assert firsts == 3 * [(15, 0) if budget == "60/turn" else (0, 5.0)]
    agent.close()


@pytest.mark.parametrize("name", ["chaser", "battleship", "kakomimasu"])
def test_turns_of_hidden_or_joint_decisions_have_no_budget(name):
    game = masume.load(name)
    agent = make_agent("mcts:60/turn", game)
    with pytest.raises(ConfigError, match=f"agents: mcts:60/turn: in {name} a budget is for a decision"):
        agent.start(game, 0, 0)


# -- the player who may win whatever the points -----------------------------------------------------------


def match(game, agents, seed):
    return play_game(game, [make_agent(name, game) for name in agents], seed)


@pytest.mark.parametrize("stage", ["pantry", "siege"])
def test_mice_who_would_lose_by_points_look_for_a_surround(stage):
    """Alpha-beta by itself sends one mouse, saves points and loses all of these games."""
    game = masume.load("nezumi", stage=stage)
    games = [match(game, ("crafty", "alphabeta:4000"), seed) for seed in range(6)]
    assert sum(played.state.returns()[1] > 0 for played in games) >= 4
    assert match(game, ("crafty", "alphabeta:4000"), 1).actions == games[1].actions


def test_alpha_beta_decides_for_the_cat_and_near_the_end():
    """Where a proof is near, points saved are part of the exact score."""
    game = masume.load("nezumi", stage="pantry")
    cats = match(game, ("alphabeta:1000", "crafty"), 3)
    assert_decided_by_alpha_beta(game, cats, 3, 0)
    game = masume.load("nezumi", stage=generate(4, height=5, width=5, max_mice=2, zone=2, foods=4, turns=6))
    assert_decided_by_alpha_beta(game, match(game, ("crafty", "alphabeta:1000"), 5), 5, 1)


def assert_decided_by_alpha_beta(game, played, seed, player):
    search, state = AlphaBeta(game, nodes=1000), game.new_state(seed)
    for mover, (action,) in zip(played.players, played.actions, strict=True):
        if mover == player:
            assert search.search(state).actions[0] == action
        state.apply(action)


def test_a_time_is_shared_by_both_searches():
    """Neither search begins with more than its half, and the times are as before afterwards."""
    game = masume.load("nezumi", stage="siege")
    agent, state = AlphaBetaAgent("20ms"), game.new_state()
    agent.start(game, 1, 1)
    while state.current_player != 1:
        state.apply(state.legal_actions()[0])
    assert agent.act(View(state, 1)) in state.legal_actions()
    assert (agent._search.ms, agent._search.nodes) == (20, 0)
    assert (agent._upset.ms, agent._upset.simulations) == (10, 0)


@pytest.mark.parametrize(("stage", "turns", "nodes"), [("garden", 2, 29_426), ("pantry", 1, 1671)])
def test_a_table_that_grows_loses_nothing(stage, turns, nodes):
    """The nodes of a whole search were counted when all entries were used from the start; each one lost costs more."""
    game = masume.load("nezumi", stage=stage, turns=turns)
    state = game.new_state(3)
    for _ in range(3):
        state.apply(state.legal_actions()[0])
    ladder = Ladder(game, 1 << 20)
    assert ladder.run(state, 0, 0)[4] == nodes
    assert ladder.is_whole
    assert ladder.run(state, 0, 0)[4] < nodes / 10  # all is known
