"""A skip that is not listed fails a run of CI, with or without several processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

@pytest.mark.parametrize("number", [1, 2])
def test_listed(number):
    pytest.skip("the game has no forecast")

@pytest.mark.skipif(True, reason="{reason}")
def test_other():
    pass

def test_passes():
    pass
"""

FILE = """
import pytest

pytest.importorskip("no_such_package", reason="the extra `learn` is not installed")
"""


@pytest.mark.parametrize(
    ("processes", "reason", "code", "mark"),
    [
        pytest.param(2, "bubblewrap is not installed", 1, "NOT LISTED", marks=pytest.mark.slow),
        (0, "bubblewrap is not installed", 1, "NOT LISTED"),
        (0, "no ::1 here", 0, "listed"),
    ],
)
def test_a_skip_that_is_not_listed_fails_the_run(tmp_path, processes, reason, code, mark):
    (tmp_path / "test_it.py").write_text(TESTS.format(reason=reason), encoding="utf-8")
    (tmp_path / "test_file.py").write_text(FILE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "skips", "--may-skip", "test", "-n", str(processes), "."]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == code, ended.stdout
    assert f"\n{mark}: {reason}: test_it.py::test_other\n" in ended.stdout
    assert "\nlisted: the game has no forecast: test_it.py::test_listed\n" in ended.stdout
    assert "\nlisted: the extra `learn` is not installed: test_file.py\n" in ended.stdout
