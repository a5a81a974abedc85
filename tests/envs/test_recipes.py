"""The recipes in examples/recipes run, and are as short as they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"
NEEDS = {
    "alphazero.py": ("torch",),
    "cleanrl_ppo.py": ("gymnasium", "torch"),
    "pufferlib_vector.py": ("gymnasium", "pufferlib.vector"),
    "rllib_ppo.py": ("gymnasium", "torch", "ray.rllib"),
    "sb3_ppo.py": ("sb3_contrib",),
    "supersuit_vec.py": ("supersuit",),
    "torchrl_gymenv.py": ("gymnasium", "torchrl"),
    "torchrl_rollout.py": ("pettingzoo", "torchrl"),
}
MOST = 60  # lines


@pytest.mark.parametrize("name", NEEDS)
def test_a_recipe_runs(name):
    for package in NEEDS[name]:
        pytest.importorskip(package)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    steps = "5000" if name == "cleanrl_ppo.py" else "2"
    command = [sys.executable, str(RECIPES / name), steps]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\n") >= 2
    assert "nan" not in ran.stdout


def test_all_recipes_are_tried_and_short():
    assert {path.name for path in RECIPES.glob("*.py")} == set(NEEDS)
    assert all(len((RECIPES / name).read_text("utf-8").splitlines()) <= MOST for name in NEEDS)
