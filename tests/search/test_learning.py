"""The learning example learns for a moment, measures itself, and draws its curve."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium", reason="the extra `envs` is not installed")
pytest.importorskip("torch", reason="examples/learning/requirements.txt is not installed")
pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "learning" / "ppo.py"


@pytest.mark.parametrize("name", ["chaser", pytest.param("kakomimasu", marks=pytest.mark.nightly)])
def test_the_example_learns_measures_and_draws(name, tmp_path):
    shutil.copy(EXAMPLE, tmp_path)
    command = [sys.executable, "ppo.py", name, "--copy", "50", "--steps", "30000", "--games", "4"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=600)
    found = json.loads((tmp_path / f"{name}.json").read_text())
    assert found["curve"][-1]["steps"] >= 30_000
    assert [row["agent"] for row in found["arena"]] == 2 * [f"untrained_{name}"] + 2 * [f"copied_{name}"] + 2 * [name]
    assert all(0 <= row["low"] <= row["score"] <= row["high"] <= 1 for row in found["arena"])
    assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")
    assert (tmp_path / f"{name}.pt").stat().st_size > 100_000
