"""The test vectors, read from section 10 of docs/rules/nezumi.md."""

import re
from dataclasses import dataclass
from pathlib import Path

from masume.nezumi.stages import generate, load_shipped

from .conftest import Position, draw

RULES = Path(__file__).parents[2] / "docs" / "rules" / "nezumi.md"
NUMBERS = ("t", "T", "M", "R", "captured", "food", "cost", "flip")


@dataclass
class Vector:
    name: str
    start: Position
    steps: list[tuple[str, object]]
    """("do", text), ("board", rows) or ("expect", {item: value}), in order, after the start."""


def section(begin, end):
    text = RULES.read_text(encoding="utf-8")
    return text[text.index(begin) : text.index(end)]


def load():
    """Return every vector of section 10, in order."""
    text = section("## 10. Test vectors", "### 10.2")
    blocks = re.findall(r"^vector (\S+) [^\n]*\n(.*?)(?=^vector |^```)", text, re.MULTILINE | re.DOTALL)
    return [_read(name, body.splitlines()) for name, body in blocks]


def _read(name, lines):
    boards: list[list[str]] = []
    told: dict[str, str] = {}
    steps: list[tuple[str, object]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if line == "board":
            boards.append([])
            steps.append(("board", boards[-1]))
        elif word == "with":
            told = _items(rest)
        elif word == "do":
            steps.append(("do", rest))
        elif word == "expect":
            steps.append(("expect", _items(rest)))
        elif line:
            boards[-1].append(line)
    return Vector(name, _start(boards[0], told), steps[1:])


def _items(text):
    return dict(item.split("=", 1) for item in text.split())


def _start(rows, told):
    fields = {key: int(value) for key, value in told.items() if key in NUMBERS}
    if "zone" in told:
        fields["zone"] = [tuple(map(int, cell.split(","))) for cell in told["zone"].split(";")]
    if "under" in told:
        fields["under"] = [tuple(map(int, re.split("[,=]", told["under"])))]
    unknown = set(told) - {*NUMBERS, "phase", "zone", "under"}
    assert not unknown, unknown
    return draw(rows, phase=told["phase"], **fields)


@dataclass
class Walk:
    """A golden random walk of section 10.3: stage, seed and expected outcome."""

    name: str
    stage: object
    seed: int
    decisions: int
    digest: str
    result: str
    winner: str
    t: int
    captured: int
    food_sum: int
    cost_sum: int


def walks():
    """Return the golden random walks, in order."""
    found = []
    for line in section("### 10.3", "Evidence:").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[1].isdecimal():
            name, seed, decisions, digest, result, winner, *numbers = cells
            stage = load_shipped().get(name) or generate(*map(int, re.findall(r"\d+", name)))
            found.append(Walk(name, stage, int(seed), int(decisions), digest, result, winner, *map(int, numbers)))
    return found
