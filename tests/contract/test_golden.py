"""The draws of a seed stay as recorded: games of policies and of chance, samples, and forecasts."""

import pytest

import golden
from cases import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_seeds_and_forecasts_give_what_was_recorded(name):
    """A change that is meant writes the files anew, by `python tests/golden.py`."""
    golden.check(name)
