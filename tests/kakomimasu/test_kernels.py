"""The kernels over bit rows: every CPU level, and a build without vectors, gives the same, correct answers."""

import ctypes

import numpy as np
import pytest

from kakomimasu.campaign import random_position
from kernels import INT, POINTER, both, compile_levels
from lockstep import game_at
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.kakomimasu.config import Config

SIZES = [(1, 1), (2, 2), (3, 3), (5, 4), (4, 16), (7, 17), (10, 20), (24, 24), (9, 25), (30, 28), (23, 29), (30, 30)]
"""Board sizes with every number of chunks (4 to 8), full and padded."""


def spiral(width, height):
    """Return the cells of a wall that winds inwards, with turns one cell apart."""
    cells, (x, y), (dx, dy) = {(0, 0)}, (0, 0), (1, 0)
    for _ in range(2 * width * height):
        ahead, beyond = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
        if not (0 <= ahead[0] < width and 0 <= ahead[1] < height) or ahead in cells or beyond in cells:
            dx, dy = -dy, dx
            continue
        x, y = ahead
        cells.add(ahead)
    return cells


def serpentine(width, height):
    """Return the cells of a wall around the board with teeth from both sides, which leave one winding corridor."""
    border = {(x, y) for x in range(width) for y in range(height) if x in (0, width - 1) or y in (0, height - 1)}
    teeth = {(x, y) for x in range(width) for y in range(2, height - 2, 2) if x != (1 if y % 4 else width - 2)}
    return border | teeth


def make_by_hand(variables, rng):
    """Return positions in which flooding the outside takes many steps, closed and with a gap, in both orientations."""
    width, height = variables["config"]["width"], variables["config"]["height"]
    for draw in (spiral, serpentine):
        for turned in (False, True):
            cells = draw(height, width) if turned else draw(width, height)
            wall = [-1] * (width * height)
            for x, y in cells:
                wall[x * width + y if turned else y * width + x] = 1
            yield {**variables, "wall": wall}
            gap = rng.below(width * height)
            yield {**variables, "wall": [*wall[:gap], -1, *wall[gap + 1 :]]}


def enclose(wall, area, width, height):
    """Return `area` by the definition in section 7.2: components, fills, and the smallest that contains a cell."""
    cells = {(n % width, n // width): owner for n, owner in enumerate(wall) if owner >= 0}
    around = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

    def reach(start, steps, inside):
        seen, stack = {start}, [start]
        while stack:
            x, y = stack.pop()
            for dx, dy in steps:
                cell = x + dx, y + dy
                if cell not in seen and inside(cell):
                    seen.add(cell)
                    stack.append(cell)
        return seen

    fills, left = [], set(cells)
    while left:
        start = left.pop()
        own = cells[start]
        ring = reach(start, [(1, 0), (-1, 0), (0, 1), (0, -1)], lambda cell, own=own: cells.get(cell) == own)
        left -= ring
        outside = reach(
            (-1, -1),
            around,
            lambda cell, ring=ring: -1 <= cell[0] <= width and -1 <= cell[1] <= height and cell not in ring,
        )
        fills.append(({(x, y) for x in range(width) for y in range(height)} - outside, own))
    fills.sort(key=lambda fill: len(fill[0]))
    marks = []
    for n, mark in enumerate(area):
        cell = n % width, n // width
        owner = next((own for fill, own in fills if cell in fill), mark)
        marks.append(-1 if cell in cells else owner)
    return marks


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_level_marks_territory_as_defined(width, height, players):
    """[section 7.2] One turn without actions, on random, nested and winding walls with old marks."""
    rng = Rng(width * 100 + height * 10 + players)
    config = Config(width=width, height=height, n_players=players, n_agents=2, total_turns=9, seed=7)
    games = {level: game_at("kakomimasu", config, level) for level in levels()}
    start = games[levels()[0]].new_state().to_dict()
    positions = [random_position(start, rng) for _ in range(6)]
    for position in positions + list(make_by_hand(start, rng)) * (players == 2):
        area = enclose(position["wall"], position["area"], width, height)
        for level, game in games.items():
            state = game.state_from_dict(position)
            state.apply([0] * game.num_slots)
            assert state.to_dict() == {**position, "area": area, "played": position["played"] + 1}, level
            state.check()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_level_counts_points_and_writes_planes_alike(width, height):
    """[KM-45, section 9] Extreme points; planes and masks end at the right place."""
    rng = Rng(width * 31 + height)
    extremes = (-32768, 32767, -1, 0, 1, 16, -16)
    points = [extremes[rng.below(7)] for _ in range(width * height)]
    config = Config(width=width, height=height, n_players=3, n_agents=16, total_turns=9, points=tuple(points))
    games = [game_at("kakomimasu", config, level) for level in levels()]
    start = games[0].new_state().to_dict()
    for _ in range(4):
        position = random_position(start, rng)
        for game in games:
            state = game.state_from_dict(position)
            for player in range(3):
                wall = sum(point for point, owner in zip(points, position["wall"], strict=True) if owner == player)
                area = sum(abs(point) for point, owner in zip(points, position["area"], strict=True) if owner == player)
                assert (state.wall_points[player], state.territory_points[player]) == (wall, area)
                assert state.scores()[player] == wall + area
            size = int(np.prod(game.observation_spec["planes"][0]))
            buffer = np.full(size + 64, 7, np.float32)
            planes = buffer[:size].reshape(game.observation_spec["planes"][0])
            state.observation(1, {"planes": planes})
            assert (buffer[size:] == 7).all()
            owners = np.array(position["wall"]).reshape(height, width)
            marks = np.array(position["area"]).reshape(height, width)
            for i in range(3):
                assert np.array_equal(planes[i], owners == (1 + i) % 3)
                assert np.array_equal(planes[3 + i], marks == (1 + i) % 3)
            assert np.array_equal(planes[9], (owners < 0) & (marks < 0))
            assert np.array_equal(planes[10], np.array(points, np.float32).reshape(height, width) / 16)
            assert (planes[11] == 1).all()
            padded = np.full(game.num_actions + 64, 7, np.uint8)
            for slot in range(game.num_slots):
                state.legal_mask(slot, padded[: game.num_actions])
                assert (padded[game.num_actions :] == 7).all()
                assert np.flatnonzero(padded[: game.num_actions]).tolist() == state.legal_actions(slot).tolist()


# -- a compiler without vectors ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Return level v2 with vectors and without."""
    fields = {
        "territory": (None, INT, INT, POINTER, POINTER),
        "weigh": (ctypes.c_int64, INT, POINTER, INT, POINTER, POINTER),
    }
    return compile_levels(tmp_path_factory.mktemp("kernels"), fields, "kakomimasu")


@pytest.mark.parametrize("chunks", range(4, 9))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_territory_without_vectors_is_the_same(compiled, players, chunks):
    rng = np.random.default_rng(10 * players + chunks)
    enclosed = 0
    for _ in range(100):
        owner = rng.integers(0, 2 * players, (4 * chunks, 30))  # half of the cells are free
        owner[4 * chunks - rng.integers(0, 4) :] = -1
        masks = np.array([1 << x for x in range(30)], np.uint32)
        walls = np.array([((owner == player) * masks).sum(axis=1) for player in range(players)], np.uint32)

        def mark(level, out, walls=walls):
            level.territory(players, chunks, walls.ctypes.data, out)

        enclosed += (both(compiled, walls.size, np.uint32, mark) != 3).any()
    assert enclosed > 50


def test_sums_without_vectors_are_the_same(compiled):
    rng = np.random.default_rng(1)
    for chunks in range(4, 9):
        board, planes = (rng.integers(0, 2**32, 4 * chunks * n, np.uint32) for n in (1, 9))
        weights = rng.integers(-(2**31), 2**31 - 1, 9, np.int32)
        arguments = (chunks, board.ctypes.data, 9, planes.ctypes.data, weights.ctypes.data)
        assert len({level.weigh(*arguments) for level in compiled}) == 1
