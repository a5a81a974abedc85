"""Configs of Battleship for the tests of all games (tests/cases.py)."""

CASES = [
    {},
    {"preset": "submarine", "width": 4, "height": 3},
    {"preset": "tag", "mission": "rescue", "width": 6, "height": 3, "fp_base": 40, "round_limit": 0},
    {"players": 3, "mission": "blitz", "round_limit": 6, "fleet_sizes": [1, 2, 3], "surface_period": 1},
    {"width": 9, "height": 9, "players": 4, "fleet_sizes": [12, 12, 12, 12], "fuel": False, "max_rounds": 30},
    {"width": 3, "height": 3, "fp_base": 30, "terrain_weights": [1, 1, 1, 1, 1], "fleets": ["BDSODS", "DSO"]},
]
VARIED = "time_main_s"
SMALL = {"preset": "submarine", "width": 4, "height": 3}
HIDDEN = [
    {"width": 3, "height": 3, "fleet_sizes": [1, 1], "fp_base": 30},
    {
        "width": 3,
        "height": 3,
        "players": 3,
        "mission": "flagship",
        "fleets": ["BS", "D", "OB"],
        "attack_known_reef": False,
    },
    {"width": 3, "height": 4, "preset": "tag", "terrain_weights": [2, 1, 1, 1, 1], "fuel": False, "max_rounds": 9},
]
FUZZED = [
    {},
    {"preset": "submarine", "width": 3, "height": 4},
    {"preset": "tag", "mission": "flagship", "fp_base": 40},
    {"width": 9, "height": 9, "players": 3, "fleet_sizes": [12, 1, 12], "fuel": False, "max_rounds": 30},
    {"fleets": ["BDSO", "DS"], "terrain_weights": [1, 1, 1, 1, 1], "surface_period": 1, "attack_known_reef": False},
]
_BATTLE = {"agents": ["hunter", "hunter"], "seed": 3, "ply": 22}
EXTREMES = (
    {"width": 3, "height": 3, "fleet_sizes": [1, 1]},
    {"width": 9, "height": 9, "players": 4, "fleet_sizes": [12, 12, 12, 12]},
)
PICTURES = {"": _BATTLE, "-seen": _BATTLE | {"player": 0}}
ACTIONS = {
    "P": "P",
    "X": "X",
    "A0NE": r"A\d+(C|[NESW]{1,2})",
    "M1E3": r"M\d+[NESW]{1,2}\d",
    "L1C": r"L\d+(C|[NESW]{1,2})",
    "T2E5": r"T\d+[A-I]\d",
    "R1B2": r"R\d+[A-I]\d",
    "F2": r"F\d+",
    "KD": "K[BDSO]",
    "SC3": r"S[A-I]\d",
}


def letters(config):
    """Return the values of the letters in docs/games/battleship.md."""
    return {"P": config.players, "S": max(config.fleet_sizes), "W": config.width, "H": config.height}
