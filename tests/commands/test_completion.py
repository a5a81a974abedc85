"""Completion as in a shell: bash and fish through a script, zsh at a terminal."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import masume
from masume import commands, load

ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}
BASH = """
eval "$(register-python-argcomplete --shell bash masume)"
while read -r line; do
  COMP_LINE="${line%|}" COMP_TYPE=9 COMPREPLY=()
  COMP_POINT=${#COMP_LINE}
  _python_argcomplete masume
  echo "${COMPREPLY[@]}"
done
"""
ZSH = 'autoload -U compinit && compinit -u -D; eval "$(register-python-argcomplete --shell zsh masume)"; echo go"es"\r'


def needs(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return the completions of bash at the cursor, |."""
    lines = [
        "masume |", "masume play |", "masume play kakomimasu --board |", "masume arena chaser --map ro|",
        "masume match battleship --agents hunt|", "masume info terraforming --preset |", "masume stage check g|",
        "masume selfplay all --agents g|", "masume join |", "masume join chaser localhost --agent gr|",
    ]  # fmt: skip
    folder = tmp_path_factory.mktemp("completion")
    (folder / "garage.stage").touch()
    run = subprocess.run(
        ["bash", "-c", BASH], input="".join(f"{line}\n" for line in lines), cwd=folder, env=ENVIRONMENT,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {line: set(answer.split()) for line, answer in zip(lines, run.stdout.splitlines(), strict=True)}


@needs("bash")
def test_bash_completes_commands_and_games(answers):
    assert set(commands.NAMES) <= answers["masume |"]
    assert {*masume.games(), "--agents", "--board"} <= answers["masume play |"]


@needs("bash")
def test_bash_completes_the_starts_of_the_game(answers):
    assert {"hill", "court", "garage.stage"} <= answers["masume play kakomimasu --board |"]
    assert "rooms" not in answers["masume play kakomimasu --board |"]
    assert answers["masume arena chaser --map ro|"] == {"rooms"}
    assert {"gallery", "garden", "granary", "garage.stage"} <= answers["masume stage check g|"]


@needs("bash")
def test_bash_completes_agents_and_presets(answers):
    assert answers["masume match battleship --agents hunt|"] >= {"hunter:easy", "hunter:hard"}
    assert answers["masume info terraforming --preset |"] >= set(load("terraforming").config.presets())
    assert answers["masume selfplay all --agents g|"] >= {"gather", "greedy", "gunner"}
    assert answers["masume join |"] >= {"battleship", "chaser", "kakomimasu"}
    assert answers["masume join chaser localhost --agent gr|"] == {"greedy"}


@needs("fish")
def test_fish_completes():
    code = 'register-python-argcomplete --shell fish masume | source; complete -C "masume play kakomimasu --board co"'
    run = subprocess.run(["fish", "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["court"]


@needs("zsh")
def test_zsh_completes():
    """At a terminal: zsh completes only a line that is being edited."""
    terminal, shell = pty.openpty()
    command = ["zsh", "-f", "-i"]
    with subprocess.Popen(
        command, stdin=shell, stdout=shell, stderr=shell, env=ENVIRONMENT, start_new_session=True
    ) as zsh:
        try:
            os.close(shell)
            os.write(terminal, ZSH.encode())
            assert "goes" in read_up_to(terminal, "goes")
            os.write(terminal, b"masume play kakomimasu --board co\t")
            assert "court" in read_up_to(terminal, "court")
        finally:
            zsh.kill()
            os.close(terminal)


def read_up_to(terminal, text, within_s=60):
    """Return the output of the terminal up to the text, or what came within the time."""
    shown = ""
    end = time.monotonic() + within_s
    while text not in shown and select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown
