"""Beam search: exact for one slot, never improved by a single slot once done, reproducible, and interruptible."""

import signal
import threading

import numpy as np
import pytest

import masume
from golden import forecast
from masume.agent import View
from masume.agents.make import make_agent
from masume.core.function_table import FunctionTable
from masume.core.rng import Rng, stream
from masume.errors import ConfigError, ConfigTypeError, GameOverError
from masume.play.driver import play_game
from masume.search import Beam
from toy import Counting

DISCOUNT = 0.75
SMALL = {"width": 4, "height": 3, "n_agents": 1, "total_turns": 5, "seed": 4}
MIDDLE = {"width": 8, "height": 7, "n_agents": 3, "total_turns": 12, "seed": 2}


class Fewer(Counting):
    """Four slots of two players, then two, and so on; a code is its points, and code 2 ends the game."""

    def __init__(self, length=4):
        super().__init__(length=length, memory=False, flags=1, num_slots=4)

    def slots(self, _, state, players):
        s = self.at(state)
        deciders = (0, 0, 1, 1) if s.ply % 2 == 0 else (0, 1)
        for slot, player in enumerate(deciders):
            players[slot] = player
        return 0 if s.ply >= self.length or s.loser >= 0 else len(deciders)

    def apply(self, table, state, memory, codes):
        s = self.at(state)
        deciders = (0, 0, 1, 1) if s.ply % 2 == 0 else (0, 1)
        for slot in range(len(deciders)):
            if not 0 <= codes[slot] < self.count(state):
                return -1 - slot
        for slot, player in enumerate(deciders):
            s.score[player] += codes[slot]
            if codes[slot] == 2:
                s.loser = 1
        s.ply += 1
        return int(s.ply == self.length or s.loser >= 0)

    def policy(self, table, state, memory, which, player, rng, codes):
        for k in range(2 - self.at(state).ply % 2):
            codes[k] = self.count(state) - 1


def lead(state, player):
    points = forecast(FunctionTable(state.game), state)
    own = points.pop(player)
    return own - max(points)


def play(state, player, turn, t, world):
    """Play turn t of a plan, illegal codes as STAY; in world 1 the others play `gather` with the draws of seed 0."""
    codes = [code if code in state.legal_actions(slot) else 0 for slot, code in enumerate(turn)]
    rng, agents = stream(0, t), state.game.config.n_agents
    for other in range(state.game.num_players if world else 0):
        if other != player:
            codes[other * agents : (other + 1) * agents], rng = state._choose(other, "gather", rng)
    state.apply(codes)


def best_gain(states, player, codes, share, slot=None, t=0):
    """Return the most that turns t.. of a plan gain with any codes of one slot, by trying them all.

    states : the position in each world. share : weight of the second. slot : None for the plan as it is.
    """
    if t == len(codes) or states[0].is_terminal():
        return 0.0
    best = -np.inf
    for code in states[0].legal_actions(slot).tolist() if slot is not None else [None]:
        turn = [code if k == slot else planned for k, planned in enumerate(codes[t])]
        after = [state.clone() for state in states]
        total = 0.0
        for world, (before, state) in enumerate(zip(states, after, strict=True)):
            play(state, player, turn, t, world)
            total += (share if world else 1 - share) * (lead(state, player) - lead(before, player))
        best = max(best, total + DISCOUNT * best_gain(after, player, codes, share, slot, t + 1))
    return best


def midgame(fields, turns, seed):
    state, rng = masume.load("kakomimasu", **fields).new_state(), Rng(seed)
    for _ in range(turns):
        legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
        state.apply([int(codes[rng.below(len(codes))]) for codes in legal])
    return state


# -- exact ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("share", [0, 0.25])
def test_one_agent_plans_what_trying_everything_finds(share, player, seed):
    state = midgame(SMALL, 1, seed)
    beam = Beam(state.game, simulations=10**6, depth=3, width=4096, widest=4096, discount=DISCOUNT, policy_share=share)
    plan = beam.search(state, player)
    assert plan.is_done
    assert plan.gain == pytest.approx(best_gain([state] * 2, player, [[0, 0]] * 3, share, player))
    assert plan.gain == pytest.approx(best_gain([state] * 2, player, plan.codes.tolist(), share))


@pytest.mark.parametrize("seed", range(4))
def test_no_agent_alone_can_improve_a_plan_that_is_done(seed):
    state = midgame({**MIDDLE, "n_players": 2 + seed % 3, "n_agents": 2}, 6, seed)
    plan = Beam(state.game, simulations=10**7, depth=2, width=64, widest=1024, discount=DISCOUNT).search(state, 1)
    assert plan.is_done
    assert plan.gain == pytest.approx(best_gain([state] * 2, 1, plan.codes.tolist(), 0.5))
    for slot in (2, 3):
        assert best_gain([state] * 2, 1, plan.codes.tolist(), 0.5, slot) == pytest.approx(plan.gain)


def test_a_ring_is_closed_by_two_who_need_each_other():
    """Three walls are missing around a cell of -9, and two turns are left."""
    points = [1 if x == 3 and y in (1, 2, 3) else -9 if x == y == 2 else 0 for y in range(5) for x in range(5)]
    game = masume.load("kakomimasu", width=5, height=5, n_agents=2, total_turns=2, points=points)
    state = game.parse(".....\n.AA..\n.A...\n.AA..\n.....\nagents: A0@2,1 A1@2,3\nagents: B0@unplaced B1@unplaced\n")
    plan = Beam(game, simulations=100_000, depth=2, width=64).search(state, 0)
    for codes in plan.codes:
        state.apply(codes)
    assert state.wall_points.tolist() == [3, 0]
    assert state.territory_points.tolist() == [9, 0]


def test_the_last_turns_are_planned_to_the_end_alone():
    state = midgame(MIDDLE, 10, 1)
    plan = Beam(state.game, simulations=5000, depth=8).search(state, 0)
    assert plan.codes.shape == (2, 6)


@pytest.mark.parametrize("player", [0, 1])
def test_slots_may_come_and_go_and_games_end_early(player):
    """Each slot plays 1 in the even turns, where 2 is not legal; in the first odd turn 1, in the last 2."""
    provider = Fewer()
    game = masume.load(provider)
    beam = Beam(game, simulations=10_000, depth=6, discount=1.0, policy_share=0)
    plan = beam.search(game.new_state(), player)
    assert plan.is_done
    assert plan.gain == 2 + 1 + 2 + 2
    assert plan.codes[1::2, player].tolist() == [1, 2]
    assert plan.actions[2 * player : 2 * player + 2] == [1, 1]


@pytest.mark.parametrize("player", [0, 1])
def test_a_game_may_end_in_one_world_alone(player):
    """By the policy the other plays 1 in each slot of the first turn, and 2 in the second: the game ends there."""
    game = masume.load(Fewer())
    beam = Beam(game, simulations=10_000, depth=6, discount=1.0, policy_share=0.25)
    plan = beam.search(game.new_state(), player)
    assert plan.is_done
    assert plan.gain == 0.75 * (2 + 1 + 2 + 2) + 0.25 * (0 + 1 - 2)
    assert plan.codes[1::2, player].tolist() == [1, 2]


# -- the same, and no worse -------------------------------------------------------------------------


def test_the_same_seed_plans_the_same():
    state = midgame(MIDDLE, 4, 3)
    first, second, other = (Beam(state.game, simulations=20_000).search(state, 1, seed=seed) for seed in (5, 5, 6))
    assert first.codes.tolist() == second.codes.tolist()
    assert first.gain == second.gain
    assert first.codes.tolist() != other.codes.tolist()


def test_an_object_that_has_searched_searches_as_a_new_one():
    state = midgame(MIDDLE, 4, 3)
    beam = Beam(state.game, simulations=20_000)
    beam.search(midgame(MIDDLE, 7, 8), 0)
    assert beam.search(state, 1).codes.tolist() == Beam(state.game, simulations=20_000).search(state, 1).codes.tolist()


def test_a_plan_goes_on():
    state = midgame(MIDDLE, 2, 3)
    before = Beam(state.game, simulations=20_000).search(state, 0)
    state.apply(before.actions)
    rest = Beam(state.game, simulations=1).search(state, 0, last=before)
    assert rest.simulations == 0
    assert rest.codes[:7].tolist() == before.codes[1:].tolist()
    assert rest.codes[7].tolist() == [0] * 6
    assert Beam(state.game, simulations=20_000).search(state, 0, last=before).gain >= rest.gain > 0


@pytest.mark.parametrize("simulations", [1, 100, 1000, 30_000])
def test_the_budget_holds_and_what_is_found_is_legal(simulations):
    state = midgame(MIDDLE, 4, 3)
    was = state.to_bytes()
    plan = Beam(state.game, simulations=simulations).search(state, 0)
    assert plan.simulations <= simulations
    assert plan.gain >= Beam(state.game, simulations=1).search(state, 0).gain
    assert state.to_bytes() == was
    assert len(plan.actions) == len(state.slots)
    for slot in range(3):
        assert plan.actions[slot] in state.legal_actions(slot)
    assert plan.actions[3:] == [0, 0, 0]


def test_more_simulations_gain_more():
    state = midgame(MIDDLE, 2, 3)
    gains = [Beam(state.game, simulations=simulations).search(state, 0).gain for simulations in (100, 2000, 40_000)]
    assert gains[0] < gains[1] <= gains[2]


def test_time_ends_it_too():
    game = masume.load("kakomimasu")
    plan = Beam(game, ms=30, widest=65536).search(game.new_state(), 0)
    assert not plan.is_done
    assert plan.simulations > 0
    assert plan.simulations_per_s == plan.simulations / plan.seconds


# -- bad input and faults ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ConfigError, "simulations: expected simulations or ms", {}),
        (ConfigError, "simulations: expected simulations or ms", {"simulations": 5, "ms": 5}),
        (ConfigError, "simulations: expected", {"simulations": 0}),
        (ConfigError, "ms: expected", {"ms": -1}),
        (ConfigError, "ms: expected", {"ms": 10**8}),
        (ConfigTypeError, "simulations: expected an int", {"simulations": 1.5}),
        (ConfigError, "depth: expected", {"ms": 5, "depth": 0}),
        (ConfigError, "width: expected 1..256, got 300", {"ms": 5, "width": 300}),
        (ConfigError, "widest: expected", {"ms": 5, "widest": 65537}),
        (ConfigError, "discount: expected", {"ms": 5, "discount": 1.5}),
        (ConfigError, "discount: expected", {"ms": 5, "discount": float("nan")}),
        (ConfigTypeError, "discount: expected a number", {"ms": 5, "discount": "much"}),
        (ConfigError, "policy_share: expected", {"ms": 5, "policy_share": -0.5}),
    ],
)
def test_bad_arguments_are_named(error, message, arguments):
    with pytest.raises(error, match=message):
        Beam(masume.load("kakomimasu", **SMALL), **arguments)


@pytest.mark.parametrize("name", ["nezumi", "chaser"])
def test_games_of_turns_are_refused(name):
    with pytest.raises(ConfigError, match=f"expected simultaneous decisions and perfect information, got {name}"):
        Beam(masume.load(name), simulations=5)
    with pytest.raises(ConfigError, match="agents: unknown agent 'beam:5'"):
        make_agent("beam:5", masume.load(name))


def test_bad_positions_are_named():
    state = midgame(SMALL, 5, 1)
    beam = Beam(state.game, simulations=50)
    with pytest.raises(GameOverError, match="nothing to search"):
        beam.search(state, 0)
    with pytest.raises(ConfigError, match="state: expected one of"):
        beam.search(midgame(MIDDLE, 1, 1), 0)
    start = state.game.new_state()
    other = Beam(masume.load("kakomimasu", **MIDDLE), simulations=9).search(midgame(MIDDLE, 1, 1), 0)
    for player in (-1, 2):
        with pytest.raises(ValueError, match=f"player: {player} has nothing to decide"):
            beam.search(start, player)
    with pytest.raises(ConfigError, match=r"seed: expected .*, got -1"):
        beam.search(start, 0, seed=-1)
    with pytest.raises(ValueError, match="last: expected a plan of 2 slots"):
        beam.search(start, 0, last=other)


def test_ctrl_c_ends_a_long_search_with_what_it_found():
    game = masume.load("kakomimasu", width=24, height=24, n_agents=14)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    plan = Beam(game, simulations=10**9, widest=65536).search(game.new_state(), 0)
    timer.join()
    assert plan.was_interrupted
    assert 0 < plan.simulations < 10**9
    assert len(plan.actions) == 28


def test_one_search_at_a_time():
    state = midgame(MIDDLE, 4, 3)
    beam = Beam(state.game, simulations=10**9, widest=65536)
    refused = []

    def interrupt():
        try:
            beam.search(state, 0)
        except RuntimeError as error:
            refused.append(str(error))
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.2, interrupt)
    timer.start()
    assert beam.search(state, 0).was_interrupted
    timer.join()
    assert refused == ["search: another search is running; use a separate Beam in each thread"]


# -- the agent --------------------------------------------------------------------------------------


def test_the_agent_plays_whole_games_alike():
    game = masume.load("kakomimasu", **MIDDLE)
    games = [play_game(game, [make_agent("beam:3000", game), make_agent("random", game)], seed=3) for _ in range(2)]
    assert games[0].state.is_terminal()
    assert games[0].state.to_bytes() == games[1].state.to_bytes()


@pytest.mark.parametrize("other", ["greedy", "a4"])
def test_the_agent_is_stronger_than_those_that_do_not_search(other):
    won = 0
    for number in range(4):
        game = masume.load("kakomimasu", width=12, height=12, n_agents=4, total_turns=24, seed=number)
        names = ["beam:5000", other] if number % 2 == 0 else [other, "beam:5000"]
        won += play_game(game, [make_agent(name, game) for name in names], seed=number).state.returns()[number % 2] > 0
    assert won >= 3


@pytest.mark.parametrize("budget", ["", "0", "-5", "5h", "ms", "0ms", "1000000001", "86400001ms", "٣"])
def test_budgets_that_are_none(budget):
    with pytest.raises(ConfigError, match=f"agents: beam:{budget}: expected a number of simulations"):
        make_agent(f"beam:{budget}", masume.load("kakomimasu"))


def test_ctrl_c_ends_the_game_of_an_agent():
    game = masume.load("kakomimasu", **MIDDLE)
    agent = make_agent("beam:86400000ms", game)
    agent.start(game, 0, 1)
    agent._beam.widest, agent._beam._layers = 65536, Beam(game, ms=1, widest=65536)._layers
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        agent.act(View(game.new_state(), 0))
    timer.join()
    agent.close()
