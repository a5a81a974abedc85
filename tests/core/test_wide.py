"""The kernels of src/wide_kernels.h: every CPU level gives the same, correct answers."""

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from kakomimasu.campaign import random_position
from lockstep import game_at
from masume import cli
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.kakomimasu._engine import table
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


def test_levels_are_in_order_and_those_of_the_processor():
    assert levels() == (
        ("neon",) if platform.machine() in ("aarch64", "arm64") else ("v2", "v3", "v4")[: len(levels())]
    )
    assert levels()


def test_a_level_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="level: expected one of "):
        table(Config(), level="v9")


SCRIPT = """
import masume
batch = masume.load("kakomimasu", width=12, height=11, n_players=3, n_agents=5, total_turns=30).batch(4, seed=3)
batch.playout()
print(batch.states.tobytes().hex())
"""


def run(level):
    """Return the output of SCRIPT in a new process with MASUME_CPU set."""
    environment = {**os.environ, "MASUME_CPU": level}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)


def test_masume_cpu_forces_a_level_and_changes_nothing_else():
    outputs = [run(level) for level in ("", *levels())]
    assert [output.returncode for output in outputs] == [0] * len(outputs), outputs[0].stderr
    assert len({output.stdout for output in outputs}) == 1


@pytest.mark.parametrize("level", ["v9", "V3", "avx2"])
def test_masume_cpu_must_name_a_level(level):
    output = run(level)
    assert output.returncode == 1
    assert f"ConfigError: MASUME_CPU: expected one of {levels()[0]}" in output.stderr


@pytest.mark.parametrize("name", ["chaser", "kakomimasu", "nezumi", "terraforming"])
def test_a_level_that_the_machine_lacks_is_one_line_in_every_game(capsys, monkeypatch, name):
    monkeypatch.setenv("MASUME_CPU", "v9")
    assert cli.main(["info", name]) == 1
    line = f"masume: MASUME_CPU: expected one of {', '.join(levels())}, the levels of this machine, got 'v9'\n"
    assert capsys.readouterr().err == line
