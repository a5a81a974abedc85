"""The table's policies are legal, repeatable, equal on every CPU level, and do as documented; so does the forecast."""

import pytest

import masume
from golden import forecast
from lockstep import game_at
from masume.agents.make import make_agent
from masume.core._wide import levels
from masume.core.function_table import FunctionTable
from masume.core.rng import Rng
from masume.kakomimasu.config import Config

from .games import random_codes, random_config


def choose(drawing, player=0, seed=1, **fields):
    """Return the texts of the actions of `gather` on a drawn position with 1 point per cell."""
    rows = [row for row in drawing.split("\n") if row and ":" not in row]
    config = {"width": len(rows[0]), "height": len(rows), "points": [1] * sum(map(len, rows)), "total_turns": 9}
    game = masume.load("kakomimasu", **{**config, **fields})
    state = game.parse(drawing)
    actions, _ = state._choose(player, "gather", seed)
    first = player * game.config.n_agents
    return [state.action_to_text(action, first + agent) for agent, action in enumerate(actions)]


def test_the_names():
    game = masume.load("kakomimasu")
    assert game.policies == ("random", "gather")
    assert make_agent("gather", game).policy == "gather"


def test_all_choose_legal_codes_alike_on_every_level():
    """Random games include small and degenerate boards, extreme points, and two to four players."""
    rng = Rng(11)
    configs = [random_config(rng, max_side=7) for _ in range(20)]
    configs += [random_config(rng, width=30, height=30, points=(32767, -32768) * 450), Config(width=1, height=1)]
    for config in configs:
        games = [game_at("kakomimasu", config, level) for level in levels()]
        state = games[0].new_state()
        while not state.is_terminal():
            for player in range(config.n_players):
                seed = rng.next()
                actions, after = state._choose(player, "gather", seed)
                for slot, action in enumerate(actions, player * config.n_agents):
                    assert action in state.legal_actions(slot)
                for game in games:
                    assert game.state_from_bytes(state.to_bytes())._choose(player, "gather", seed) == (actions, after)
            state.apply(random_codes(state, rng))


@pytest.mark.parametrize("seed", range(4))
def test_gather_puts_its_agents_on_the_best_places(seed):
    points = [0, 9, 0, 0, 0, 0, 0, 8, 0]
    assert choose("...\n...\n...\nagents: A0@unplaced A1@unplaced", seed=seed, n_agents=2, points=points) == [
        "PUT 1,0",
        "PUT 1,2",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_gather_looks_one_step_further(seed):
    """3 and then 8 points are better than 5 and then nothing."""
    points = [0, 8, 3, 0, 5, 0, 0]
    assert choose("...A...\nagents: A0@3,0", seed=seed, points=points, n_agents=1) == ["MOVE 2,0"]


@pytest.mark.parametrize("seed", range(4))
def test_gather_removes_a_wall_that_costs_the_enemy_more(seed):
    points = [0, 3, 0, 5, 0]
    drawing = ".BA..\nagents: A0@2,0 B0@unplaced"
    assert choose(drawing, seed=seed, points=points, n_agents=1) == ["REMOVE 1,0"]
    assert choose(drawing.replace("B0@unplaced", "B0@1,0"), seed=seed, points=points, n_agents=1) == ["MOVE 3,0"]


@pytest.mark.parametrize("seed", range(4))
def test_gather_spares_its_own_territory_and_takes_an_enemys(seed):
    """A wall on own territory of 9 points gains nothing; one on an enemy's of 4 points gains 8."""
    assert choose("aA.\nagents: A0@1,0", seed=seed, points=[9, 0, 2], n_agents=1) == ["MOVE 2,0"]
    assert choose("bA.\nagents: A0@1,0", seed=seed, points=[4, 0, 7], n_agents=1) == ["MOVE 0,0"]


@pytest.mark.parametrize("seed", range(4))
def test_gather_never_aims_where_a_team_mate_stands_or_aims(seed):
    points = [0, 0, 9, 0, 0]
    drawing = ".A.A.\nagents: A0@1,0 A1@3,0"
    first, second = choose(drawing, seed=seed, points=points, n_agents=2)
    assert first == "MOVE 2,0"
    assert second == "MOVE 4,0"
    assert choose("AA\nagents: A0@0,0 A1@1,0", seed=seed, n_agents=2) == ["STAY", "STAY"]


# -- the forecast -----------------------------------------------------------------------------------


def slow_forecast(state):
    """Return what `forecast` documents, from the dict of a position."""
    variables, config = state.to_dict(), state.game.config
    points, width = state.points.ravel().tolist(), config.width
    share = 0.05 * min(config.total_turns - state.played, 2)
    expected = [float(score) for score in state.scores()]
    for cell, owner in enumerate(variables["wall"]):
        if owner < 0 or points[cell] <= 0 or cell in variables["pos"][owner]:
            continue
        enemies = [at for p, cells in enumerate(variables["pos"]) if p != owner for at in cells if at >= 0]
        if any(abs(at % width - cell % width) <= 1 and abs(at // width - cell // width) <= 1 for at in enemies):
            expected[owner] -= share * points[cell]
    return expected


def test_the_forecast_takes_off_a_tenth_of_the_walls_that_an_enemy_can_remove():
    drawing = "AA.\nABA\n...\nagents: A0@0,0 B0@1,1\nplayed: {}"
    config = {"width": 3, "height": 3, "n_agents": 1, "points": [50, 10, 0, -20, 7, 40, 0, 0, 0]}
    game = masume.load("kakomimasu", total_turns=9, **config)
    table = FunctionTable(game)
    assert forecast(table, game.parse(drawing.format(0))) == pytest.approx([80 - 5, 7])
    assert forecast(table, game.parse(drawing.format(8))) == pytest.approx([80 - 2.5, 7])
    assert forecast(table, game.parse(drawing.format(9))) == [80, 7]


def test_the_forecast_equals_a_slow_one_on_every_level():
    rng = Rng(12)
    configs = [random_config(rng, max_side=7) for _ in range(20)]
    configs += [random_config(rng, width=30, height=30), Config(width=1, height=1), Config(points=[0] * 400)]
    for config in configs:
        games = [game_at("kakomimasu", config, level) for level in levels()]
        tables = [FunctionTable(game) for game in games]
        state = games[0].new_state()
        while True:
            for game, table in zip(games, tables, strict=True):
                found = forecast(table, game.state_from_bytes(state.to_bytes()))
                assert found == pytest.approx(slow_forecast(state))
            if state.is_terminal():
                break
            state.apply(random_codes(state, rng))
