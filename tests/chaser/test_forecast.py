"""The items that a search expects of both players: those who are shut in take no more than they reach."""

import numpy as np
import pytest

import masume
from masume.agents.searching import read_tuning
from masume.chaser.maps import BLOCK, ITEM, neighbours
from masume.core.function_table import FunctionTable
from masume.core.rng import stream
from masume.search import MCTS

ROOM = 16


def forecast(state):
    out = np.zeros(2)
    table = FunctionTable(state.game)
    table.call("forecast", table.parts_of(state)[0], out)
    return out.tolist()


def reach(state, player):
    """Return the cells that a player can walk on, its own among them, and the number of items on them."""
    cells = np.asarray(state.cells).reshape(state.game.config.height, state.game.config.width)
    reached = {tuple(int(x) for x in state.positions[player])}
    front = list(reached)
    while front:
        for row, column in neighbours(front.pop()):
            inside = 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1]
            if inside and (row, column) not in reached and cells[row, column] != BLOCK:
                reached.add((row, column))
                front.append((row, column))
    return len(reached), sum(int(cells[cell] == ITEM) for cell in reached)


def expected(state):
    left = int((np.asarray(state.cells) == ITEM).sum())
    halves = 2 * state.game.config.turn_limit - state.half
    rooms = [reach(state, player) for player in range(2)]
    found = []
    for player, (room, within) in enumerate(rooms):
        if room < ROOM:
            more = within
        elif rooms[1 - player][0] < ROOM:
            more = left * min(0.5, 0.00375 * halves)
        else:
            more = left * min(0.4, 0.0025 * halves)
        found.append(int(state.items[player]) + more)
    return found


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"preset": "contest"},
        {"height": 5, "width": 5, "n_blocks": 6, "n_items": 9},
        {"height": 40, "width": 60, "n_blocks": 800, "n_items": 900},
        {"height": 64, "width": 3, "n_blocks": 40, "n_items": 80},
    ],
)
def test_the_forecast_is_that_of_a_flood_fill(fields):
    game = masume.load("chaser", **fields)
    shut = compared = 0
    for seed in range(6):
        state, rng = game.new_state(seed), stream(seed, 1)
        while not state.is_terminal():
            assert forecast(state) == pytest.approx(expected(state))
            compared += 1
            shut += any(reach(state, player)[0] < ROOM for player in range(2))
            (action,), rng = state._choose(state.current_player, "forager", rng)
            state.apply(action)
        assert forecast(state) == state.items.tolist()
    assert compared > 100
    assert shut or not fields.get("n_blocks", 0)


def test_a_search_does_not_shut_itself_in_for_an_item():
    """The planner takes items that leave a few cells to walk on; a search that knows these cells goes elsewhere."""
    game = masume.load("chaser", preset="contest")
    search = MCTS(game, simulations=1000, **read_tuning(game))
    shut = []
    for seed in range(110):
        state, rng = game.new_state(seed), stream(seed, 1)
        while not state.is_terminal() and state.half < 100:
            player = state.current_player
            (action,), rng = state._choose(player, "planner", rng)
            if is_certain(state, player, action):
                shut.append([search.search(state, seed=n).actions[0] == action for n in range(3)])
            state.apply(action)
    assert len(shut) > 4
    assert np.mean(shut) < 0.1


def is_certain(state, player, action):
    """Return whether an action of the planner shuts it in, in the position and in all samples of it."""
    if reach(state, player)[0] < 40:
        return False
    for position in [state.clone(), *(state.resample(player, n) for n in range(10))]:
        position.apply(action)
        if position.is_terminal() or position.items[player] == state.items[player] or reach(position, player)[0] > 8:
            return False
    return True
