"""The sessions of the page on training networks run."""

import doctest
from pathlib import Path

import numpy as np
import pytest

for package, name in (("gymnasium", "envs"), ("pettingzoo", "envs"), ("pyspiel", "openspiel")):
    pytest.importorskip(package, reason=f"the extra `{name}` is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "rl.md"


def test_the_sessions_run():
    np.random.seed(1)
    failed, attempted = doctest.testfile(str(PAGE), module_relative=False)
    assert (failed, attempted > 30) == (0, True)
