"""CPU levels: which there are, and how one is chosen."""

import os
import platform
import subprocess
import sys

import pytest

from masume import cli
from masume.core._wide import levels
from masume.kakomimasu._engine import table
from masume.kakomimasu.config import Config


def test_levels_are_in_order_and_those_of_the_processor():
    assert levels() == (
        ("neon",) if platform.machine() in ("aarch64", "arm64") else ("v2", "v3", "v4")[: len(levels())]
    )
    assert levels()


def test_a_level_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="level: expected one of "):
        table(Config(), level="v9")


SCRIPT = """
import masume
batch = masume.load("kakomimasu", width=12, height=11, n_players=3, n_agents=5, total_turns=30).batch(4, seed=3)
batch.playout()
print(batch.states.tobytes().hex())
"""


def run(level):
    """Return the output of SCRIPT in a new process with MASUME_CPU set."""
    environment = {**os.environ, "MASUME_CPU": level}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)


def test_masume_cpu_forces_a_level_and_changes_nothing_else():
    outputs = [run(level) for level in ("", *levels())]
    assert [output.returncode for output in outputs] == [0] * len(outputs), outputs[0].stderr
    assert len({output.stdout for output in outputs}) == 1


@pytest.mark.parametrize("level", ["v9", "V3", "avx2"])
def test_masume_cpu_must_name_a_level(level):
    output = run(level)
    assert output.returncode == 1
    assert f"ConfigError: MASUME_CPU: expected one of {levels()[0]}" in output.stderr


@pytest.mark.parametrize("name", ["chaser", "kakomimasu", "nezumi", "terraforming"])
def test_a_level_that_the_machine_lacks_is_one_line_in_every_game(capsys, monkeypatch, name):
    monkeypatch.setenv("MASUME_CPU", "v9")
    assert cli.main(["info", name]) == 1
    line = f"masume: MASUME_CPU: expected one of {', '.join(levels())}, the levels of this machine, got 'v9'\n"
    assert capsys.readouterr().err == line
