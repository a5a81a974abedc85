"""Test data of each game: the `cases.py` in its folder of tests.

CASES : small, odd and default configs for the contract tests. SMALL : config of games that end soon.
FUZZED : configs for tests/fuzz.py. PICTURES : drawings of docs/pictures.py. `letters(config)` : numbers that the
letters in the tables of docs/games/ stand for. ACTIONS : texts of actions as shown on these pages, with the regular
expression of such texts. Optional: VARIED, the int field that makes the game's starts differ if it is not `seed`;
HIDDEN, more small configs of a game with hidden information; EXTREMES, the configs at the ends of each range in those
tables; `is_outgrown(state)`, whether a position contains more than dicts and texts can represent.
"""

import importlib
from pathlib import Path

TESTS = Path(__file__).parent


def find(module):
    """Return {game: module} for the modules of this name in the games' folders of tests."""
    names = sorted(path.parent.name for path in TESTS.glob(f"*/{module}.py") if (path.parent / "cases.py").exists())
    return {name: importlib.import_module(f"{name}.{module}") for name in names}


GAMES = find("cases")
