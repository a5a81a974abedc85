"""The games every contract test runs on: small, odd and default configs of each."""

import pytest

import masume


def nezumi(rows, max_mice, require, turns):
    """The text of a stage of these rows, whose foods are a crumb, a roast and a wheel."""
    foods = ("a crumb 1mg", "b roast 1kg", "c wheel 9kg")
    numbers = {"max_mice": max_mice, "require": require, "turns": turns}
    head = ["nezumi-stage 1", "name: drawn", *(f"{key}: {value}" for key, value in numbers.items())]
    return "\n".join([*head, *(f"food: {food}" for food in foods), "map:", *rows, ""])


CASES = {
    "battleship": [
        {},
        {"preset": "submarine", "width": 4, "height": 3},
        {"preset": "tag", "mission": "rescue", "width": 6, "height": 3, "fp_base": 40, "round_limit": 0},
        {"players": 3, "mission": "blitz", "round_limit": 6, "fleet_sizes": [1, 2, 3], "surface_period": 1},
        {"width": 9, "height": 9, "players": 4, "fleet_sizes": [12, 12, 12, 12], "fuel": False, "max_rounds": 30},
        {"width": 3, "height": 3, "fp_base": 30, "terrain_weights": [1, 1, 1, 1, 1], "fleets": ["BDSODS", "DSO"]},
    ],
    "chaser": [
        {},
        {"height": 5, "width": 4, "n_blocks": 2, "n_items": 2, "turn_limit": 3},
        {"preset": "contest", "n_items": 51, "turn_limit": 2},
        {"height": 1, "width": 64, "n_blocks": 0, "n_items": 8, "turn_limit": 12, "seed": 5},
        {"map": "N:island\nT:30\nD:0,3,2,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:3,0\n"},
    ],
    "kakomimasu": [
        {},
        {"width": 1, "height": 1, "n_agents": 1, "total_turns": 3},
        {"width": 5, "height": 4, "n_players": 3, "n_agents": 2, "total_turns": 12, "seed": 3},
        {"width": 7, "height": 30, "n_players": 4, "n_agents": 16, "total_turns": 6, "put_on_enemy_wall": "server"},
        {"width": 4, "height": 4, "n_agents": 3, "total_turns": 40, "seed": 8, "symmetry": "none"},
    ],
    "nezumi": [
        {},
        {"stage": nezumi(("Z.C",), 1, 1, 2)},
        {"stage": "siege", "surround_flip": True, "turns": 3},
        {"stage": nezumi(("Z.#....#C", "ZZ#...c#.", "Zc.......", "####...#."), 9, 9, 12)},
        {"stage": nezumi(("Z" + 30 * "." + "a",) * 31 + (31 * "b" + "C",), 255, 200, 2)},
    ],
    "terraforming": [
        {"max_turns": 2},
        {"radius": 1, "max_turns": 8, "tie_break": "shared"},
        {"preset": "contest", "radius": 2, "max_turns": 6, "score_limit": 9, "seed": 5},
        {"radius": 10, "max_turns": 1, "hole_mode": "chance", "hole_divisor": 3, "hole_cap": 110, "map_check": "none"},
        {"ruleset": "contest", "map": "AI # . / . . BI # / . . . . . / . # . . / . CI .", "max_turns": 3},
    ],
}
VARIED = {"battleship": "time_main_s", "nezumi": "turns"}
"""The int field that makes games of a kind differ, where it is not `seed`."""
ALL = [pytest.param(name, fields, id=f"{name}-{k}") for name, cases in CASES.items() for k, fields in enumerate(cases)]


def pytest_generate_tests(metafunc):
    if "game" in metafunc.fixturenames:
        metafunc.parametrize(("name", "fields"), ALL, scope="module")


@pytest.fixture(scope="module")
def game(name, fields):
    return masume.load(name, **fields)
