"""The CI engineer: a clone below /tmp, and bots that are sealed off there."""

import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_sealed_bots_play_in_a_folder_below_tmp(person):
    with tempfile.TemporaryDirectory(dir="/tmp") as below:  # wherever pytest has its own
        person.folder = Path(below, "作業 1")
        person.folder.mkdir()
        person.run("masume", "new", "bot", "chaser", "--language", "python", "my bot")
        person.write("own/.keep", "")
        agent = "json:python 'my bot/bot.py'"
        shown, _ = person.run(
            *("masume", "match", "chaser", "--map", "duel", "--agents", agent, "random", "--seed", 1),
            *("--no-network", "--files-under", "own"),
        )
        assert "exit code" not in shown, shown
        shown, _ = person.run(
            *("masume", "match", "chaser", "--map", "duel", "--agents", "json:cd /tmp; exec $HOME/bot", "random"),
            *("--files-under", "own"),
            code=1,  # the game is not played
        )
        assert "of /tmp it sees only the folders of what its command names (files-under)" in shown
