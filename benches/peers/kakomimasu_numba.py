"""Kakomimasu in Numba: the algorithm of kakomimasu_python.py on arrays, compiled, many boards per call."""

from __future__ import annotations

import numba
import numpy as np

from masume.bench import Case, Midgame, Work

from .kakomimasu_python import FIRST_MOVE, FIRST_PUT, FIRST_REMOVE, arrays

STAY, MOVE, REMOVE, PUT = range(4)


@numba.njit(cache=True)
def turns(walls, territory, cells, codes, width, steps, board, edge):
    """Play a turn of each board; walls, territory : int8[n, ringed cells]. cells : int32[n, agents], 0: not placed."""
    n, count = cells.shape
    size = walls.shape[1]
    aims = np.zeros(size, np.int32)
    held = np.zeros(size, np.bool_)
    kinds = np.empty(count, np.int32)
    targets = np.empty(count, np.int32)
    for i in range(n):
        for agent in range(count):
            player, cell, code = agent // (count // 2), cells[i, agent], codes[i, agent]
            kind, target = STAY, 0
            if code >= FIRST_PUT:
                kind = PUT
                target = (code - FIRST_PUT) // (width - 2) * width + (code - FIRST_PUT) % (width - 2) + width + 1
            elif code >= FIRST_MOVE:
                kind = MOVE if code < FIRST_REMOVE else REMOVE
                target = cell + steps[(code - FIRST_MOVE) % 8]
            if kind != STAY:
                x, y = target % width, target // width
                inside = 0 < x < width - 1 and 0 < y < size // width - 1
                if (kind == PUT) != (cell == 0) or not inside:
                    kind = STAY
                elif kind == REMOVE:
                    if walls[i, target] < 0:
                        kind = STAY
                elif walls[i, target] >= 0 and walls[i, target] != player:
                    kind = STAY
            kinds[agent], targets[agent] = kind, target
            if kind != STAY:
                aims[target] += 1
        for agent in range(count):
            if kinds[agent] != STAY and aims[targets[agent]] > 1:
                kinds[agent] = -1
        for agent in range(count):
            aims[targets[agent]] = 0
            if kinds[agent] == -1:
                kinds[agent] = STAY
        for agent in range(count):
            if kinds[agent] != MOVE:
                held[cells[i, agent]] = True
        held[0] = False
        again = True
        while again:
            again = False
            for agent in range(count):
                if (kinds[agent] == MOVE or kinds[agent] == PUT) and held[targets[agent]]:
                    if kinds[agent] == MOVE:
                        held[cells[i, agent]] = True
                        again = True
                    kinds[agent] = STAY
        for agent in range(count):
            if kinds[agent] == REMOVE and held[targets[agent]]:
                kinds[agent] = STAY
        for agent in range(count):
            held[cells[i, agent]] = False
        for agent in range(count):
            target = targets[agent]
            if kinds[agent] == REMOVE:
                walls[i, target] = -1
            elif kinds[agent] != STAY:
                walls[i, target] = agent // (count // 2)
                territory[i, target] = -1
                cells[i, agent] = target
        fill(walls[i], territory[i], steps, board, edge)


@numba.njit(cache=True)
def enclosures(walls, territory, steps, board, edge):
    """Mark the territory of each board."""
    for i in range(len(walls)):
        fill(walls[i], territory[i], steps, board, edge)


@numba.njit(cache=True)
def fill(walls, territory, steps, board, edge):
    """Mark the cells that walls enclose; inside walls of both players the innermost counts."""
    size = len(walls)
    active = walls.copy()
    undecided = board.copy()
    count = len(board)
    reached = np.empty((2, size), np.bool_)
    stack = np.empty(size, np.int32)
    while count > 0:
        for player in range(2):
            reached[player] = True  # stops at the ring: no step goes beyond it
            top = 0
            for k in range(len(board)):
                cell = board[k]
                reached[player, cell] = False
            for k in range(len(edge)):
                cell = edge[k]
                if active[cell] != player:
                    reached[player, cell] = True
                    stack[top] = cell
                    top += 1
            while top > 0:
                top -= 1
                cell = stack[top]
                for step in steps:
                    other = cell + step
                    if not reached[player, other] and active[other] != player:
                        reached[player, other] = True
                        stack[top] = other
                        top += 1
        left = 0
        for k in range(count):
            cell = undecided[k]
            if not reached[0, cell] and not reached[1, cell]:
                undecided[left] = cell
                left += 1
                continue
            active[cell] = -1
            if walls[cell] < 0 and not (reached[0, cell] and reached[1, cell]):
                territory[cell] = 0 if reached[1, cell] else 1
        count = left


# -- on the recorded positions --------------------------------------------------------------------


def cases() -> list[Case]:
    return [
        Case("turn/Numba", "turn", "peers", turn, game="kakomimasu"),
        Case("enclosure/Numba", "position", "peers", enclosure, game="kakomimasu"),
    ]


def geometry(play: Midgame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (steps clockwise from north, the cells of the board, those at its edge), on the ringed board."""
    width, height = play.game.config.width + 2, play.game.config.height + 2
    steps = [-width, 1 - width, 1, 1 + width, width, width - 1, -1, -1 - width]
    numbers = np.arange(width * height, dtype=np.int32).reshape(height, width)[1:-1, 1:-1]
    inner = np.zeros(numbers.shape, np.bool_)
    inner[1:-1, 1:-1] = True
    return np.array(steps, np.int32), numbers.ravel(), numbers[~inner]


def add_ring(play: Midgame, later: int = 0) -> list[np.ndarray]:
    """Return `arrays` with a ring around the board."""
    walls, territory, cells = arrays(play, later)
    n, _, width = walls.shape
    around = ((0, 0), (1, 1), (1, 1))
    placed = np.where(cells >= 0, cells // width * (width + 2) + cells % width + width + 3, 0).astype(np.int32)
    return [*(np.pad(one, around, constant_values=-1).reshape(n, -1) for one in (walls, territory)), placed]


def turn(play: Midgame) -> Work:
    before, after = play.each(lambda: add_ring(play)), play.each(lambda: add_ring(play, 1))
    work = [array.copy() for array in before()]
    width, places = play.game.config.width + 2, geometry(play)

    def prepare() -> None:
        for array, start in zip(work, before(), strict=True):
            array[:] = start

    def run() -> None:
        turns(*work, play.codes, width, *places)

    def check() -> None:
        for array, end in zip(work, after(), strict=True):
            assert np.array_equal(array, end)

    return Work(run, len(play), check, prepare, choose=play.choose)


def enclosure(play: Midgame) -> Work:
    walls, territory, _ = add_ring(play)
    found = np.full_like(territory, -1)
    width, places = play.game.config.width + 2, geometry(play)

    def run() -> None:
        enclosures(walls, found, *places)

    def check() -> None:
        for i in play.picked:
            twin = play.twin.from_dict(play.states[i].to_dict() | {"area": [-1] * (width - 2) ** 2})
            twin._mark_territory()
            board = found[i].reshape(-1, width)[1:-1, 1:-1]
            assert board.ravel().tolist() == twin.to_dict()["area"]

    return Work(run, len(play), check)
