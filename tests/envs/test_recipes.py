"""The recipes in examples/recipes run, and are as short as they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples" / "recipes"
NEEDS = {
    "alphazero.py": ("torch",),
    "cleanrl_ppo.py": ("gymnasium", "torch"),
    "gymnasium_wrappers.py": ("gymnasium", "moviepy"),
    "pufferlib_vector.py": ("gymnasium", "pufferlib.vector"),
    "rllib_ppo.py": ("gymnasium", "torch", "ray.rllib"),
    "sb3_ppo.py": ("sb3_contrib",),
    "supersuit_vec.py": ("supersuit",),
    "tianshou_dqn.py": (),
    "torchrl_entrances.py": ("gymnasium", "pettingzoo", "torchrl"),
    "torchrl_gymenv.py": ("gymnasium", "torchrl"),
    "torchrl_rollout.py": ("pettingzoo", "torchrl"),
}
OWN = {"tianshou_dqn.py": ".venv-tianshou"}  # environments of what cannot be installed beside the others
MOST = 60  # lines


def run(python, name):
    """Return what the recipe prints with this Python."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    if python == sys.executable:
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    steps = "5000" if name == "cleanrl_ppo.py" else "2"
    ran = subprocess.run(
        [python, str(RECIPES / name), steps], env=environment, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("name", NEEDS)
def test_a_recipe_runs(name):
    python = sys.executable
    if name in OWN:
        python = str(ROOT / OWN[name] / "bin" / "python")
        assert Path(python).exists(), f"run `make {OWN[name]}`"
    for package in NEEDS[name]:
        pytest.importorskip(package)
    told = run(python, name)
    assert told.count("\n") >= 2
    assert "nan" not in told


def test_all_recipes_are_tried_and_short():
    assert {path.name for path in RECIPES.glob("*.py")} == set(NEEDS)
    assert all(len((RECIPES / name).read_text("utf-8").splitlines()) <= MOST for name in NEEDS)


def test_the_guide_names_every_recipe_with_the_version_that_is_tried():
    """The versions of the table in docs/rl.md are those of tests/constraints.txt."""
    guide = (ROOT / "docs/rl.md").read_text("utf-8")
    table = guide[guide.index("### Recipes") : guide.index("## The batch")]
    assert set(re.findall(r"recipes/(\w+\.py)", table)) == set(NEEDS)
    pins = dict(re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "tests/constraints.txt").read_text("utf-8"), re.M))
    rows = [[cell.strip() for cell in row.split("|")[1:3]] for row in table.splitlines() if "recipes/" in row]
    packages = {
        "PyTorch alone": "torch", "Stable-Baselines3 contrib": "sb3-contrib", "RLlib": "ray",
        **{name: name.lower() for name in ("Gymnasium", "SuperSuit", "Tianshou", "TorchRL", "PettingZoo")},
    }  # fmt: skip
    told = {packages[library]: version.partition(",")[0] for library, version in rows if library in packages}
    assert told == {package: pins[package] for package in told}
    assert {"torch", "sb3-contrib", "ray", "gymnasium", "supersuit", "tianshou", "torchrl"} <= set(told)
