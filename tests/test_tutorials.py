"""What the tutorials show is what their commands print."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).parent.parent / "docs/tutorials"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def read_page(name):
    """Return the Python blocks of a page, and {command: the block after it} of its commands."""
    found = BLOCK.findall((TUTORIALS / name).read_text("utf-8"))
    texts = [text for _, text in found]
    shown = {
        text.strip(): after
        for text, after in itertools.pairwise(texts)
        if text.startswith(("masume match", "masume arena")) and text.count("\n") == 1
    }
    return [text for kind, text in found if kind == "python"], shown


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kakomimasu.md", "kakomimasu.ja.md"])
def test_the_agent_of_a_page_plays_as_shown(name, tmp_path):
    """The first form of the agent plays the match, the better one the arena."""
    (first, better, *_), shown = read_page(name)
    commands = [command for command in shown if "py:mine:Collector" in command]
    assert len(commands) == 2
    for command in commands:
        improved = f"{first}\n\n{better}\n\nCollector.act, Collector.best = act, best\n"
        (tmp_path / "mine.py").write_text(improved if "arena" in command else first, "utf-8")
        environment = os.environ | {"LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path)}
        ran = subprocess.run(
            [sys.executable, "-m", "masume", *command.split()[1:]],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout == shown[command]
