"""What the tutorials show is what their commands print."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).parent.parent / "docs/tutorials"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"masume (match|arena|view|play|stage) (?!.*\bhuman\b)")  # those that end by themselves
METHOD = re.compile(r"^def (\w+)\(self", re.M)
STAGE = "cellar.stage"
EDITS = {
    2: [("Z..a.d", "Z..a.c")],
    3: [("food: b bean 4mg\n", ""), ("turns: 4", "turns: 12")],
    4: [("crumb 2mg", "crumb 3mg"), ("cheese 8mg", "cheese 12mg")],
}
"""What a page says to change in the stage before its n-th command."""


def run(command, folder):
    environment = os.environ | {"LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "masume", *shlex.split(command)[1:]],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return f"\n{done.stdout}{done.stderr}"


def follow(page, folder):
    """Do what a page says, in its order: save its files, run its commands; yield (command, output, block shown).

    Blocks belong to the commands before them, in order. Functions of methods take their place in the page's class.
    """
    module, waiting, count = folder / "mine.py", [], 0
    for kind, text in BLOCK.findall((TUTORIALS / page).read_text("utf-8")):
        lines = text.splitlines()
        if kind == "python":
            known = module.read_text("utf-8") if module.exists() else ""
            (owner,) = re.findall(r"^class (\w+)", known + text, re.M)
            changed = "".join(f"{owner}.{name} = {name}\n" for name in METHOD.findall(text))
            module.write_text(f"{known}{text}\n{changed}", "utf-8")
        elif text.startswith("nezumi-stage 1\n"):
            (folder / STAGE).write_text(text, "utf-8")
        elif all(map(COMMAND.match, lines)):
            waiting = []
            for command in lines:
                count += 1
                for old, new in EDITS.get(count, ()) if "stage" in command else ():
                    stage = (folder / STAGE).read_text("utf-8")
                    assert old in stage
                    (folder / STAGE).write_text(stage.replace(old, new), "utf-8")
                waiting.append((command, run(command, folder)))
        elif waiting and not kind:
            yield *waiting.pop(0), text


@pytest.mark.slow
@pytest.mark.parametrize("language", ["", ".ja"])
@pytest.mark.parametrize(("name", "number"), [("kakomimasu", 5), ("nezumi-stage", 6)])
def test_a_page_shows_what_its_commands_print(name, number, language, tmp_path):
    found = 0
    for command, output, shown in follow(f"{name}{language}.md", tmp_path):
        if not command.startswith(("masume serve", "curl")):
            assert f"\n{shown}" in output, command
            found += 1
    assert found == number
