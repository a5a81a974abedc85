"""Test vectors, read from section 10 of docs/rules/kakomimasu.md."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from masume.kakomimasu.notation import DIRECTIONS, FIRST_MOVE, FIRST_PUT, FIRST_REMOVE

RULES = Path(__file__).parents[2] / "docs" / "rules" / "kakomimasu.md"
UNPLACED = "unplaced"


@dataclass
class Vector:
    name: str
    title: str
    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    agents: dict[tuple[int, int], tuple[int, int] | None] = field(default_factory=dict)
    agents_after: dict[tuple[int, int], tuple[int, int] | None] = field(default_factory=dict)
    turns: list[list[tuple[int, tuple[int, str, int, int], int]]] = field(default_factory=list)
    """Per turn the (player, (agent, type, x, y), result code) tuples in the order of the text."""
    points: list[int] | None = None
    scores: list[tuple[int, int]] | None = None
    returns: list[int] | None = None

    @property
    def width(self):
        return len(self.left[0])

    def fields(self):
        """Return the fields of the vector's Config."""
        found = {
            "width": self.width,
            "height": len(self.left),
            "n_players": 3 if "C" in "".join(self.left).upper() else 2,
            "n_agents": 1 + max((agent for _, agent in self.agents), default=0),
            "total_turns": len(self.turns),
            "points": self.points or [1] * (self.width * len(self.left)),
        }
        option = re.search(r'Option `put_on_enemy_wall="(\w+)"`', self.title)
        return {**found, "put_on_enemy_wall": option[1]} if option else found

    def start(self):
        """Return the initial position as a text board."""
        placed = (f"{'ABC'[p]}{a}@{cell[0]},{cell[1]}" for (p, a), cell in self.agents.items() if cell)
        return "\n".join([*self.left, "agents: " + " ".join(placed)])

    def lists(self, turn):
        """Return a turn in list form, and its result codes in the same shape."""
        players = range(self.fields()["n_players"])
        return (
            [[entry for player, entry, _ in self.turns[turn] if player == p] for p in players],
            [[code for player, _, code in self.turns[turn] if player == p] for p in players],
        )

    def codes(self, turn, cells):
        """Return a turn in array form and its result codes, with agents on `cells`; None if it has no such form."""
        agents = self.fields()["n_agents"]
        actions, results = ([0] * (self.fields()["n_players"] * agents) for _ in range(2))
        seen = set()
        for player, (agent, kind, x, y), code in self.turns[turn]:
            if agent >= agents or (player, agent) in seen:
                return None
            seen.add((player, agent))
            slot, cell = player * agents + agent, cells[player][agent]
            results[slot] = code
            if kind == "PUT":
                if not (0 <= x < self.width and 0 <= y < len(self.left)):
                    return None
                actions[slot] = FIRST_PUT + y * self.width + x
            elif kind != "STAY":
                offset = (x - cell % self.width, y - cell // self.width) if cell >= 0 else (0, -1)
                if offset not in DIRECTIONS:
                    return None
                actions[slot] = (FIRST_MOVE if kind == "MOVE" else FIRST_REMOVE) + DIRECTIONS.index(offset)
        return actions, results

    def has_invalid_entry(self):
        """Return whether an entry is invalid by itself, so that the vector requires on_illegal="fallback"."""
        ends = [self.left] + [self.right] * len(self.turns)  # the longer vectors void all turns but their last
        for board, turn in zip(ends, self.turns, strict=False):
            for player, (_, kind, x, y), code in turn:
                onto_enemy = code == 2 and kind != "REMOVE" and board[y][x] not in ".abc" + "ABC"[player]
                if code in (3, 4, 5) or onto_enemy:
                    return True
        return False


def load():
    """Return all vectors of the rules file, in order."""
    text = RULES.read_text(encoding="utf-8")
    section = text[text.index("## 10. Test vectors") : text.index("## 11. Clause table")]
    found = re.findall(r"^\*\*(V\d+)\*\* ([^\n]*)\n```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [_read(*parts) for parts in found]


def _read(name, title, body):
    vector = Vector(name, title)
    for line in body.splitlines():
        key, colon, rest = line.partition(":")
        if not colon:
            left, right = line.replace("->", " ").split()
            vector.left.append(left)
            vector.right.append(right)
        elif key == "points":
            vector.points = [int(word) for word in rest.split()]
        elif key.startswith("scores"):
            vector.scores = [(int(wall), int(territory)) for wall, territory in re.findall(r"=(-?\d+),(-?\d+)", rest)]
        elif key == "returns":
            vector.returns = [int(word) for word in re.findall(r"-?\d+", rest)]
        elif key == "agents":
            vector.agents = _agents(rest)
        elif key == "agents after":
            vector.agents_after = _agents(rest)
        else:
            assert re.fullmatch(r"turn( \d+)?", key), line
            vector.turns.append([_entry(part.strip()) for part in rest.split(";")])
    vector.turns = vector.turns or [[]]
    return vector


def _agents(text):
    found = {}
    for word in text.split():
        name, _, place = word.partition("@")
        found["ABC".index(name[0]), int(name[1:])] = None if place == UNPLACED else tuple(map(int, place.split(",")))
    return found


def _entry(text):
    match = re.fullmatch(r"([A-C])(\d+) (?:(STAY)|(PUT|MOVE|REMOVE) (-?\d+),(-?\d+)) => (\d)", text)
    player, agent, stay, kind, x, y, code = match.groups()
    return "ABC".index(player), (int(agent), stay or kind, int(x or 0), int(y or 0)), int(code)
