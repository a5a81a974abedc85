"""Completion as the shells do it: bash and fish are asked by a script, zsh at a terminal."""

import os
import pty
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
    """What bash offers where the cursor, |, stands."""
    lines = [
        "masume |", "masume play |", "masume play kakomimasu --board |", "masume arena chaser --map ro|",
        "masume match battleship --agents hunt|", "masume info terraforming --preset |", "masume stage check g|",
        "masume selfplay all --agents g|",
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
    assert {"garden", "granary", "garage.stage"} == answers["masume stage check g|"]


@needs("bash")
def test_bash_completes_agents_and_presets(answers):
    assert answers["masume match battleship --agents hunt|"] >= {"hunter:easy", "hunter:hard"}
    assert answers["masume info terraforming --preset |"] >= set(load("terraforming").config.presets())
    assert answers["masume selfplay all --agents g|"] >= {"gather", "greedy", "gunner"}


@needs("fish")
def test_fish_completes():
    code = 'register-python-argcomplete --shell fish masume | source; complete -C "masume play kakomimasu --board co"'
    run = subprocess.run(["fish", "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["court"]


@needs("zsh")
def test_zsh_completes():
    """At a terminal: only a line that is edited can be completed."""
    terminal, shell = pty.openpty()
    command = ["zsh", "-f", "-i"]
    with subprocess.Popen(
        command, stdin=shell, stdout=shell, stderr=shell, env=ENVIRONMENT, start_new_session=True
    ) as zsh:
        try:
            os.close(shell)
            os.write(terminal, ZSH.encode())
            wait_for(terminal, "goes")
            os.write(terminal, b"masume play kakomimasu --board co\t")
            wait_for(terminal, "court")
        finally:
            zsh.kill()
            os.close(terminal)


def wait_for(terminal, text, within_s=60):
    """Read what the terminal shows up to the text."""
    shown = ""
    end = time.monotonic() + within_s
    while text not in shown:
        assert time.monotonic() < end, shown
        shown += os.read(terminal, 4096).decode(errors="replace")
