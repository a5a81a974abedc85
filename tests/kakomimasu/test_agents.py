"""The computer opponents are legal, repeatable, and behave as documented."""

from types import SimpleNamespace

import pytest

from lockstep import Lockstep
from masume.core.rng import Rng
from masume.kakomimasu import boards
from masume.kakomimasu.agents import AGENTS, Position, enclosing_gain
from masume.kakomimasu.config import Config
from masume.kakomimasu.notation import FIRST_MOVE, FIRST_PUT, FIRST_REMOVE
from masume.kakomimasu.reference import State

from .conftest import rows
from .games import random_config

NORTH, NORTH_EAST, EAST, SOUTH, WEST = 0, 1, 2, 4, 6


def view(state, player):
    """Return a View, as far as these agents use it, on any implementation."""
    slots = [slot for slot, decider in enumerate(state.slots) if decider == player]
    return SimpleNamespace(player=player, slots=slots, legal_actions=state.legal_actions, state=state)


def start(name, config, player=0, seed=1):
    agent = AGENTS[name]()
    agent.start(SimpleNamespace(config=config), player, seed)
    return agent


def choice(implementation, name, drawing, player=0, seed=1, **fields):
    """Return the codes of a newly started agent on a drawn position."""
    state = implementation.parse(drawing, **fields)
    config = Config.make(**state.to_dict()["config"])
    return start(name, config, player, seed).act(view(state, player))


def test_the_names():
    assert list(AGENTS) == ["none", "a1", "a2", "a3", "a4", "greedy"]
    assert all(agent().name == name for name, agent in AGENTS.items())


@pytest.mark.parametrize("name", AGENTS)
def test_all_play_legal_codes_and_the_same_on_both_twins(name):
    """Whole games on small and degenerate boards, with every seat played by the agent."""
    rng = Rng(9)
    configs = [random_config(rng, max_side=6, max_turns=10) for _ in range(12)]
    configs.append(Config.make(width=1, height=1, n_agents=16, total_turns=3))
    configs.append(Config.make(width=9, height=1, n_agents=2, total_turns=20))
    for seed, config in enumerate(configs):
        players = range(config.n_players)
        mine, its = ([start(name, config, player, seed + player) for player in players] for _ in range(2))
        with Lockstep("kakomimasu", config) as twins:
            while not twins.reference.is_terminal():
                codes = codes_of(its, twins.reference)
                twins.same("the agents' codes", codes_of(mine, twins.engine), codes)
                assert all(type(code) is int for code in codes)
                twins.apply(codes)
            twins.ask("to_dict")
        for agent in mine:
            agent.close()


def codes_of(agents, state):
    """Return a turn in array form by agents that play one seat each."""
    return [code for player, agent in enumerate(agents) for code in agent.act(view(state, player))]


@pytest.mark.parametrize("name", AGENTS)
def test_start_begins_anew(name):
    """An agent that has played a game plays the next one like a new agent."""
    config = Config.make(width=6, height=6, n_agents=3, total_turns=15)
    agents = [start(name, config, player, 5) for player in range(2)]

    def game():
        state, played = State.new(config), []
        while not state.is_terminal():
            played.append([code for player in range(2) for code in agents[player].act(view(state, player))])
            state.apply(played[-1])
        return played

    first = game()
    for player in range(2):
        agents[player].start(SimpleNamespace(config=config), player, 5)
    assert game() == first
    for player in range(2):
        agents[player].start(SimpleNamespace(config=config), player, 6)
    assert (game() == first) == (name == "none")


def test_none_never_acts(implementation):
    assert choice(implementation, "none", "A.B\nagents: A0@0,0 A1@unplaced") == [0, 0]


@pytest.mark.parametrize("name", ["a1", "a2", "a3", "a4"])
def test_agents_are_put_on_the_best_cells_from_an_offset(implementation, name):
    """Cells are ordered by points, ties row by row; the offset is drawn once per turn; without a cell, STAY."""
    points = [3, 9, 5, 9, 1, 0]
    best = [1, 3, 2, 0, 4, 5]
    seen = set()
    for seed in range(30):
        codes = choice(implementation, name, "...\n...\nagents: A3@unplaced", seed=seed, points=points)
        offset = best.index(codes[0] - FIRST_PUT)
        assert codes == [FIRST_PUT + best[offset + a] if offset + a < 6 else 0 for a in range(4)]
        seen.add(offset)
    assert seen == {0, 1, 2, 3}


def test_a1_moves_anywhere_and_a2_on_the_board_alone(implementation):
    """A move off the board becomes STAY, which has the same effect."""
    drawing = "A.\nagents: A0@0,0"
    assert {choice(implementation, "a1", drawing, seed=seed)[0] for seed in range(60)} == {0, FIRST_MOVE + EAST}
    assert {choice(implementation, "a2", drawing, seed=seed)[0] for seed in range(20)} == {FIRST_MOVE + EAST}
    assert choice(implementation, "a2", "A\nagents: A0@0,0") == [0]


def test_a3_takes_the_best_neighbour(implementation):
    """Enemy territory counts 10 more and neutral cells 5 more; enemy walls are removed; own cells do not count."""
    drawing = """
        .b.
        BAa
        AA.
        agents: A0@1,1
    """

    def best(**points):
        names = {"nw": 0, "n": 1, "ne": 2, "w": 3, "e": 5, "s": 7, "se": 8}
        values = [-50] * 9
        for name, value in points.items():
            values[names[name]] = value
        return choice(implementation, "a3", drawing, points=values)[0]

    assert best(n=1, nw=5, w=9) == FIRST_MOVE + NORTH
    assert best(n=1, nw=7, w=9) == FIRST_MOVE + 7
    assert best(n=1, nw=7, w=13) == FIRST_REMOVE + WEST
    assert best(ne=-3, e=100, s=100) == FIRST_MOVE + NORTH_EAST
    assert best(ne=4, se=4) == FIRST_MOVE + NORTH_EAST


def test_a3_avoids_what_is_aimed_at_and_else_goes_anywhere(implementation):
    drawing = "A.A\nagents: A0@0,0 A1@2,0"
    assert choice(implementation, "a3", drawing) == [FIRST_MOVE + EAST, FIRST_MOVE + WEST]
    drawing = "A..\n.A.\nagents: A0@0,0 A1@1,1"
    points = [0, 9, 1, 1, 0, 8]
    assert choice(implementation, "a3", drawing, points=points) == [FIRST_MOVE + EAST, FIRST_MOVE + EAST]
    assert choice(implementation, "a3", "AA\nagents: A0@0,0") == [FIRST_MOVE + EAST]


def test_a4_takes_positive_cells_alone(implementation):
    drawing = "A.b\nBBB\nagents: A0@0,0"
    assert choice(implementation, "a4", drawing, points=[0, 1, 9, 3, 2, 9]) == [FIRST_MOVE + EAST]
    assert choice(implementation, "a4", drawing, points=[0, -1, 9, 3, 2, 9]) == [FIRST_REMOVE + SOUTH]


def test_a4_walks_to_the_nearest_neutral_cell(implementation):
    """The path leads through own cells, and through enemy walls by removing them."""
    drawing = """
        AAA.
        AAA.
        AAA.
        agents: A0@0,1
    """
    assert choice(implementation, "a4", drawing, points=[-1] * 12) == [FIRST_MOVE + NORTH_EAST]
    assert choice(implementation, "a4", "ABBa.\nagents: A0@0,0", points=[-1] * 5) == [FIRST_REMOVE + EAST]
    assert choice(implementation, "a4", "AA\nagents: A0@0,0", points=[-1] * 2) == [FIRST_MOVE + EAST]


def test_greedy_closes_a_ring(implementation):
    """The gain of the last wall of a ring includes the enclosed territory."""
    drawing = """
        .AAA.
        .A...
        .AAA.
        agents: A0@3,0
    """
    points = [0] * 15
    points[4], points[7] = 9, -10
    assert choice(implementation, "greedy", drawing, points=points) == [FIRST_MOVE + SOUTH]
    points[7] = 4
    assert choice(implementation, "greedy", drawing, points=points) == [FIRST_MOVE + EAST]


def test_enclosing_gain_counts_what_is_newly_enclosed(implementation):
    """Enemy territory counts twice, walls and own territory do not count; an open region gains nothing."""
    state = implementation.parse(
        """
        AAAAA
        AabBA
        A...A
        AA.AA
        """,
        points=list(range(20)),
    )
    position = Position(view(state, 0))
    assert enclosing_gain(position, 17) == 2 * 7 + 11 + 12 + 13
    assert enclosing_gain(position, 12) == 0  # the gap in the ring is still open
    assert enclosing_gain(position, 0) == 0


def test_greedy_leaves_alone_what_it_aims_at_in_vain(implementation):
    """The target is skipped until the agent has succeeded elsewhere."""
    config = Config.make(width=5, height=1, n_agents=1, points=[3, 1, 9, 1, 3])
    state = implementation.parse("AA.BB\nagents: A0@1,0 B0@3,0", **config.to_dict())
    agents = [start("greedy", config, player) for player in range(2)]
    tried = []
    for _ in range(4):
        tried.append([code for player in range(2) for code in agents[player].act(view(state, player))])
        state.apply(tried[-1])
    towards, away = [FIRST_MOVE + EAST, FIRST_MOVE + WEST], [FIRST_MOVE + WEST, FIRST_MOVE + EAST]
    assert tried == [towards, away, towards, towards]
    assert rows(state) == ["AA.BB"]


@pytest.mark.slow
def test_greedy_beats_the_others():
    """Games on the shipped boards, with alternating sides."""
    import masume
    from masume.agent import View
    from masume.agents.make import make_agent

    games = [masume.load("kakomimasu", board=board) for board in boards.load_shipped().values()]

    def wins(one, other):
        won = 0
        for seed, game in enumerate(games):
            seat = seed % 2
            agents = [make_agent(name, game) for name in ((one, other), (other, one))[seat]]
            for player, agent in enumerate(agents):
                agent.start(game, player, 2 * seed + player)
            state = game.new_state()
            while not state.is_terminal():
                state.apply([code for p, agent in enumerate(agents) for code in agent.act(View(state, p))])
            won += state.returns()[seat] > 0
        return won

    assert wins("greedy", "random") == 9
    assert wins("greedy", "a3") >= 7
    assert wins("greedy", "a4") >= 7
    assert wins("a3", "a2") == 9
    assert wins("a1", "none") >= 7
