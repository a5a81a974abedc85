"""Configs of Terraforming for the tests of all games (tests/cases.py)."""

from masume.terraforming.reference import MAX_ROBOTS

CASES = [
    {"max_turns": 2},
    {"radius": 1, "max_turns": 8, "tie_break": "shared"},
    {"preset": "contest", "radius": 2, "max_turns": 6, "score_limit": 9, "seed": 5},
    {"radius": 10, "max_turns": 1, "hole_mode": "chance", "hole_divisor": 3, "hole_cap": 110, "map_check": "none"},
    {"ruleset": "contest", "map": "AI # . / . . BI # / . . . . . / . # . . / . CI .", "max_turns": 3},
]
SMALL = {"radius": 2, "max_turns": 2}
FUZZED = [
    {"radius": 1, "max_turns": 9},
    {"preset": "contest", "radius": 2, "max_turns": 30, "score_limit": 0, "seed": 4},
    {"radius": 10, "max_turns": 2, "hole_mode": "chance", "hole_divisor": 2, "hole_cap": 110, "map_check": "none"},
    {"ruleset": "contest", "map": "AI # . / . . BI # / . . . . . / . # . . / . CI .", "max_turns": 3},
    {},
]
EXTREMES = ({"radius": 1, "ruleset": "contest"}, {"radius": 10})
PICTURES = {"": {"agents": ["greedy"] * 3, "seed": 3, "ply": 4640}}
ACTIONS = {
    "move X Y DIR AMOUNT": r"move -?\d+ -?\d+ (r|ur|dr|l|ul|dl) \d+",
    "build X Y WORD": r"build -?\d+ -?\d+ \w+",
    "finish": "finish",
}


def is_outgrown(state):
    """Return whether home bases or shields have made more robots than a dict or a text may hold. [TF section 12]"""
    return sum(state.to_dict()["robots"]) > MAX_ROBOTS


def letters(config):
    """Return the values of the letters in docs/games/terraforming.md."""
    return {"R": config.radius, "N": config.num_cells}
