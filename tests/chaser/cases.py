"""Configs of CHaser for the tests of all games (tests/cases.py)."""

CASES = [
    {},
    {"height": 5, "width": 4, "n_blocks": 2, "n_items": 2, "turn_limit": 3},
    {"preset": "contest", "n_items": 51, "turn_limit": 2},
    {"height": 1, "width": 64, "n_blocks": 0, "n_items": 8, "turn_limit": 12, "seed": 5},
    {"map": "N:island\nT:30\nD:0,3,2,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:3,0\n"},
]
SMALL = {"width": 5, "height": 4, "n_blocks": 2, "n_items": 4, "turn_limit": 10}
HIDDEN = [
    {"height": 5, "width": 4, "n_blocks": 0, "n_items": 2, "turn_limit": 4},
    {"map": "N:island\nT:6\nD:0,3,2,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:3,0\n"},
]
FUZZED = [
    {"height": 5, "width": 4, "n_blocks": 2, "n_items": 2, "turn_limit": 6},
    {"height": 1, "width": 64, "n_blocks": 0, "n_items": 8, "turn_limit": 40, "seed": 5},
    {"map": "N:island\nT:30\nD:0,3,2,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:3,0\n"},
    {"height": 64, "width": 64, "n_blocks": 400, "n_items": 900},
    {},
]
_HUNT = {"agents": ["greedy", "safe"], "seed": 3, "ply": 60}
EXTREMES = ({"map": "N:dot\nT:1\nD:0,0\nC:0,0\nH:1,0\n"}, {"height": 64, "width": 64, "turn_limit": 10_000})
PICTURES = {"": _HUNT, "-seen": _HUNT | {"player": 0}}
ACTIONS = {"wu wr wl wd lu lr ll ld su sr sl sd pu pr pl pd": "[wlsp][urld]"}


def letters(config):
    """Return the values of the letters in docs/games/chaser.md."""
    return {"W": config.width, "H": config.height}
