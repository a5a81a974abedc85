"""Searches and time: shares of a clock, searches while the opponent thinks, equal results on every CPU level."""

import asyncio
import os
import subprocess
import sys
import time

import pytest

import masume
from masume.agent import View
from masume.agents.make import best_of, make_agent, players_of
from masume.agents.searching import TimeBudget
from masume.core._wide import levels
from masume.errors import ConfigError
from masume.referee.clock import Clock, TimeControl
from masume.referee.match import play_match
from masume.referee.seat import AgentSeat

NEVER = 60  # seconds


class Looks:
    """A view of which only the clock is looked at."""

    def __init__(self, left_ms, each_ms):
        self.left_ms, self.each_ms = left_ms, each_ms


@pytest.mark.parametrize(
    "text", ["main=60000", "move=1000", "main=1000,inc=100", "main=20000,floor=500", "main=5000,move=200", "main=1"]
)
def test_a_search_by_the_clock_never_asks_for_more_than_there_is(text):
    control = TimeControl.parse(text)
    clock, pace, used = Clock(control, 1), TimeBudget(), []
    for _ in range(500):
        left = clock.left_ms(0)
        share = pace.share_ms(Looks(left, control.each_ms))
        assert 0 < share <= max(left, 0.05)
        timer = clock.start(0)
        clock.charge(0, share)
        assert timer.deadline is not None
        used.append(share)
    if not control.inc_ms:
        assert used[0] == max(used)
    if control.each_ms > 100:
        assert used[-1] >= 0.5 * control.each_ms  # a turn's own time is used to the end of the game


def test_without_a_clock_a_decision_takes_a_second():
    assert TimeBudget().share_ms(Looks(None, 0)) == 1000


@pytest.mark.parametrize("name", masume.games())
def test_the_best_agent_plays_by_the_clock(name):
    game = masume.load(name)
    state, agent = game.new_state(), make_agent("best:clock", game)
    agent.start(game.public, 0, 1)
    while state.slots[0] != 0:
        state.apply(state.fallback())
    for left_ms in (1500, 30, 0):
        answer = agent.act(View(state, 0, left_ms))
        for slot, action in enumerate(answer if game.num_slots > 1 else [answer]):
            assert action in state.legal_actions(slot)
    agent.close()


def test_the_referee_tells_each_player_what_every_turn_has():
    seen = []

    class Asks:
        name = "asks"

        def start(self, game, player, seed):
            pass

        def act(self, view):
            seen.append((view.left_ms, view.each_ms))
            return view.legal_actions()[0]

        def close(self):
            pass

    game = masume.load("nezumi", stage="garden")
    seats = [AgentSeat(Asks()), AgentSeat(Asks())]
    asyncio.run(play_match(game, seats, 1, TimeControl.parse("main=1000000,move=2000,inc=300,floor=500")))
    assert {each for _, each in seen} == {2500}
    assert seen[0][0] == 1002000


@pytest.mark.parametrize("name", masume.games())
def test_best_is_an_agent_of_the_game_and_takes_every_budget(name):
    game = masume.load(name)
    for budget in ("100", "50ms", "2s", "clock"):
        agent = make_agent(f"best:{budget}", game)
        assert agent.name == f"best:{budget}"
        agent.start(game.public, 0, 1)
        agent.close()
        assert type(agent) is type(make_agent(best_of(game, budget), game))
    with pytest.raises(ConfigError, match="agents: "):
        make_agent("best:soon", game)
    players = players_of(game)
    assert len({make_agent(player, game).name for player in players}) == len(players)


def ponder(game, spec):
    """Return an agent that has decided once and searches while the opponent thinks, and the position after that."""
    state, agent = game.new_state(), make_agent(spec, game)
    player = state.current_player
    agent.start(game.public, player, 1)
    while state.current_player == player:  # a turn may be several decisions
        state.apply(agent.act(View(state, player)))
    deadline = time.monotonic() + NEVER
    while agent.pondering is not None and not agent.pondering.slices:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return agent, state


def act_again(agent, state):
    """Play the first legal actions of the opponent; return what the agent decides then."""
    player = 1 - state.current_player
    while state.current_player != player:
        state.apply(int(state.legal_actions()[0]))
    return agent.act(View(state, player))


def test_mcts_goes_on_while_the_opponent_thinks_and_uses_its_tree():
    game = masume.load("nezumi", stage="garden")
    agent, state = ponder(game, "mcts:20/ponder")
    act_again(agent, state)
    assert agent.found.simulations > agent.found.new_simulations == 20
    agent.close()
    assert agent.pondering is None
    plain = make_agent("mcts:20", game)
    start = game.new_state()
    plain.start(game.public, start.current_player, 1)
    plain.act(View(start, start.current_player))
    assert plain.pondering is None


def test_alphabeta_goes_on_while_the_opponent_thinks():
    game = masume.load("nezumi", stage="pantry")
    agent, state = ponder(game, "best:50/ponder")
    assert act_again(agent, state) in state.legal_actions()
    agent.start(game.public, 0, 1)
    assert agent.pondering is None
    agent.close()


@pytest.mark.parametrize(("name", "spec"), [("chaser", "best:20/ponder"), ("kakomimasu", "mcts:20/ponder")])
def test_where_nothing_of_a_search_is_kept_it_does_not_go_on(name, spec):
    game = masume.load(name)
    with pytest.raises(ConfigError, match="nothing of a search is kept"):
        make_agent(spec, game).start(game.public, 0, 1)
    for bad in ("mcts:20/pondr", "mcts:20/ponder/ponder"):
        with pytest.raises(ConfigError, match="expected /turn or /ponder"):
            make_agent(bad, game)


SEARCHES = """
import masume
from masume.agent import View
from masume.agents.make import make_agent
for name, spec in (("chaser", "mcts:60"), ("battleship", "mcts:20"), ("kakomimasu", "beam:300"),
                   ("kakomimasu", "mcts:20"), ("nezumi", "alphabeta:300"), ("terraforming", "mcts:60/turn")):
    game = masume.load(name)
    state = game.new_state(3)
    agents = [make_agent(spec, game) for _ in range(game.num_players)]
    for player, agent in enumerate(agents):
        agent.start(game.public, player, player)
    for _ in range(8):
        players = sorted(set(state.slots.tolist()))
        said = [agents[player].act(View(state, player)) for player in players]
        state.apply(said[0] if game.num_slots == 1 else [action for one in said for action in one])
    print(name, spec, state.key)
"""


def test_searches_of_a_number_of_simulations_are_equal_on_every_cpu_level():
    found = [
        subprocess.run(
            [sys.executable, "-c", SEARCHES], env=os.environ | {"MASUME_CPU": level}, check=True, capture_output=True
        ).stdout
        for level in levels()
    ]
    assert len(found[0].split(b"\n")) == 7
    assert all(one == found[0] for one in found)
