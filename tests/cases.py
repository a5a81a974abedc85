"""What the tests of all games know of each: the `cases.py` in its folder of tests.

CASES : small, odd and default configs, on which the contract is tested. SMALL : the config of games that end soon.
FUZZED : configs for tests/fuzz.py. PICTURES : what docs/pictures.py draws. `letters(config)` : the numbers that letters
stand for in the tables of docs/games/. ACTIONS : what these pages show of the texts of actions, and the regular
expression of such texts. A game may have more: VARIED, the int field that makes its games differ where it
is not `seed`; HIDDEN, more small configs of a game that hides things; EXTREMES, the configs of the ends of each range
in those tables; `is_outgrown(state)`, whether a position holds more than dicts and texts may.
"""

import importlib
from pathlib import Path

TESTS = Path(__file__).parent


def find(module):
    """The modules of this name in the games' folders of tests, by game."""
    names = sorted(path.parent.name for path in TESTS.glob(f"*/{module}.py") if (path.parent / "cases.py").exists())
    return {name: importlib.import_module(f"{name}.{module}") for name in names}


GAMES = find("cases")
