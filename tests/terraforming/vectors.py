"""The test vectors, read from section 10 of docs/rules/terraforming.md."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

RULES = Path(__file__).parents[2] / "docs" / "rules" / "terraforming.md"
TEXT = RULES.read_text(encoding="utf-8")


@dataclass
class Vector:
    name: str
    fields: dict
    """Fields of the config."""
    board: str
    """A text board with its header."""
    commands: list[tuple[str, str]]
    """(line, verdict)."""
    materials: list[tuple[bool, tuple[int, int], int]] = field(default_factory=list)
    """(whether it is a sum, cell, value)."""
    cells: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    told: dict = field(default_factory=dict)
    """scores, phase, player, ply, finished, ranks, returns."""


def between(start, end):
    return TEXT[TEXT.index(start) : TEXT.index(end)]


def load():
    """Return every rule vector, in order."""
    parts = re.split(r"^\*\*(V\d+)\*\* ", between("### 10.1 Rules", "### 10.2 Geometry"), flags=re.MULTILINE)
    return [_read(name, body) for name, body in zip(parts[1::2], parts[2::2], strict=True)]


def _value(text):
    """Return a config value or a result: true or false, a number, a list or a word."""
    return ast.literal_eval(text) if re.fullmatch(r"[-\d.,\[\] ]+|True|False", text) else text


def _read(name, body):
    _, first, *others = re.split(r"^- ", body, flags=re.MULTILINE)
    head, where, board = re.fullmatch(r"([^;]*); ([^;]*); board `([^`]*)`\s*", first).groups()
    ruleset, *fields = head.split(", ")
    found = Vector(
        name,
        {"ruleset": ruleset, **{key: _value(value) for key, value in (one.split("=") for one in fields)}},
        "\n".join([*where.split(", "), *board.split(" / ")]),
        [],
    )
    for line in others:
        if line.startswith("material: "):
            pairs = re.findall(r"(sum at )?\((-?\d+),(-?\d+)\)=(\d+)", line)
            found.materials = [(bool(total), (int(x), int(y)), int(value)) for total, x, y, value in pairs]
            assert len(pairs) == line.count("=")
        elif line.startswith("result: "):
            cells = re.findall(r"\((-?\d+),(-?\d+)\)=`([^`]+)`", line)
            found.cells = [((int(x), int(y)), token) for x, y, token in cells]
            rest = re.sub(r"\(-?\d+,-?\d+\)=`[^`]+`(, )?", "", line.removeprefix("result: ")).strip()
            told = re.findall(r"(\w+)[= ](\[[^\]]*\]|\w+)", rest)
            found.told = {key: _value(value) for key, value in told}
        else:
            found.commands = re.findall(r"`([^`]*)` (ok|illegal|bad)", line.replace("``", "` `"))
            assert len(found.commands) == len(line.split("; "))
    return found


def table(start, end):
    """Return the cells of the table rows between two headings, as text."""
    rows = [line.strip("| ").split("|") for line in between(start, end).splitlines() if line.startswith("|")]
    rows = [[one.strip() for one in row] for row in rows]
    return [row for row in rows if not re.fullmatch(r"-+", row[0])]


def blocks():
    """Return the state blocks of section 10.3, in order."""
    fenced = re.findall(r"```\n(.*?)```", between("### 10.3 Generator", "### 10.4 Encodings"), re.DOTALL)
    return [part.strip() + "\n" for text in fenced for part in text.split("\n\n")]


def cells_of(text):
    """Return the cells written as (x,y)."""
    return [(int(x), int(y)) for x, y in re.findall(r"\((-?\d+),(-?\d+)\)", text)]
