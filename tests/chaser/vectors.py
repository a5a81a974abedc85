"""Test vectors, read from section 10 of docs/rules/chaser.md."""

import re
from dataclasses import dataclass
from pathlib import Path

from masume.chaser.maps import PLAYERS
from masume.chaser.notation import CODES, REASONS, WINNERS

RULES = Path(__file__).parents[2] / "docs" / "rules" / "chaser.md"


@dataclass
class Vector:
    name: str
    before: list[str]
    after: list[str]
    turn_limit: int
    ready: str | None
    """COOL's first ready info, if the vector gives it."""
    methods: list[tuple[int, int, str]]
    """(player, action, method info) in order."""
    positions: list[tuple[int, int]]
    items: list[int]
    winner: int
    reason: int


def section():
    text = RULES.read_text(encoding="utf-8")
    return text[text.index("## 10. Test vectors") : text.index("## 11. Clause table")]


def load():
    """Return all board vectors of the rules file, in order."""
    found = re.findall(r"^\*\*(V\d+)\*\* ([^\n]*)\n```\n(.*?)^```\n(.*?)\n\n", section(), re.MULTILINE | re.DOTALL)
    return [_read(*parts) for parts in found]


def _read(name, title, boards, told):
    before, after = zip(*(line.split() for line in boards.splitlines()[1:]), strict=True)
    limit = re.search(r"\(turn_limit=(\d+)\)", title)
    ready = re.search(r"COOL's ready info `(\d{10})`", told)
    methods = re.findall(r"(COOL|HOT) `(\w\w)` -> `(\d{10})`", told)
    numbers = [int(number) for number in re.findall(r"-?\d+", told[told.index("Positions") :])]
    outcome = re.search(r"\]; (?:(ongoing)|(COOL|HOT|draw)(?: wins)?, (\w+))\.", told)
    return Vector(
        name,
        list(before),
        list(after),
        int(limit[1]) if limit else 100,
        ready and ready[1],
        [(PLAYERS.index(player), CODES.index(code), info) for player, code, info in methods],
        [tuple(numbers[:2]), tuple(numbers[2:4])],
        numbers[4:6],
        -1 if outcome[1] else WINNERS.index(outcome[2]),
        0 if outcome[1] else REASONS.index(outcome[3]),
    )


def prose():
    """Return the vectors that are not boards, by name: E1 .. K1."""
    text = section()[section().index("Non-board vectors") :].replace("\n  ", " ")
    text = re.sub(r"^- ", "", text, flags=re.MULTILINE)
    parts = re.split(r"\*\*([EGMIK]\d+)\*\* ", text)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def read_quoted(name):
    """Return the texts between backticks in a vector that is not a board."""
    return re.findall(r"`([^`]*)`", prose()[name])
