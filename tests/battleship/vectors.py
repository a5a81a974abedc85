"""Reader and player of the scripted vectors in section 10.2 of docs/rules/battleship.md."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from masume.battleship import maps, notation
from masume.battleship.config import CLASSES
from masume.battleship.notation import EVENTS, KINDS, REASONS, WORDS
from masume.battleship.reference import State

RULES = Path(__file__).parents[2] / "docs" / "rules" / "battleship.md"
FLAGS = {"stealth": 1, "surf": 2, "fuelout": 4, "flagship": 8}


@dataclass
class Vector:
    name: str
    title: str
    preset: str
    fields: dict
    fleets: list[str]
    steps: list[str]


def section(begin, end):
    text = RULES.read_text(encoding="utf-8")
    return text[text.index(begin) : text.index(end)]


def load():
    """Return every scripted vector, in order."""
    script = section("### 10.2 Vectors", "### 10.3")
    script = script[script.index("```\n") + 4 : script.rindex("```")]
    return [
        _read(*part) for part in re.findall(r"^#(\d\d) ([^\n]*)\n(.*?)(?=^#\d|\Z)", script, re.MULTILINE | re.DOTALL)
    ]


def _value(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _read(name, title, body):
    lines = body.splitlines()
    if lines[1].startswith("map "):  # may be on a separate line
        lines[:2] = [" ".join(lines[:2])]
    head, preset, *words = lines[0].split()
    assert head == "cfg"
    fields, word = {"terrain": False}, ""
    for item in words:
        if item in ("order", "map"):
            word = item
            if item == "order":
                fields["turn_order"] = []
        elif "=" in item:
            option, _, value = item.partition("=")
            fields[option], word = _value(value), ""
        elif word == "order":
            fields["turn_order"].append(int(item))
        else:
            assert word == "map"
            fields["terrain_map"] = item
    if "terrain_map" in fields:
        fields.setdefault("width", len(fields["terrain_map"].partition("/")[0]))
        fields.setdefault("height", fields["terrain_map"].count("/") + 1)
        del fields["terrain"]
    fleets = [line.split(maxsplit=1)[1] for line in lines if re.match(r"P\d ", line)]
    fields["players"] = len(fleets)
    # the fleets are those of the lines P0, P1, ..; the classes are public
    told = [[ship[0] for ship in fleet.split()] for fleet in fleets]
    if "fleets" in fields:
        given = fields["fleets"] * (len(fleets) // len(fields["fleets"]))
        assert told == [[CLASSES[cls] for cls in fleet] for fleet in given]
    fields["fleets"] = told
    return Vector(name, title, preset, fields, fleets, [line for line in lines[1:] if not re.match(r"P\d ", line)])


def panel(config, name):
    return notation.panel_index(config, name)


def setup(config, fleets):
    """Return the texts of the setup decisions for these fleets, one text `B@C3* D@A1` per player."""
    for fleet in fleets:
        ships = fleet.split()
        if config.fleets is None:
            yield from (f"K{ship[0]}" for ship in ships)
        if config.has_flagship:
            yield f"F{next(slot for slot, ship in enumerate(ships) if ship.endswith('*'))}"
        yield from (f"S{ship[2:4]}" for ship in ships)


class Player:
    """Run of a vector: `state` belongs to the reference or the engine."""

    def __init__(self, implementation, vector):
        self.implementation = implementation
        self.preset, self.fields = vector.preset, vector.fields
        self.state = implementation.new(1, preset=vector.preset, **vector.fields)
        self.config = implementation.config(preset=vector.preset, **vector.fields)
        self.checked = 0
        self.edits = None  # the variables as edited since the last other step
        for text in setup(self.config, vector.fleets):
            self.state.apply(self.state.text_to_action(text))
        for line in vector.steps:
            self.step(line)

    def step(self, line):
        word, *rest = line.split()
        if word in ("set", "setround", "mine", "qualset"):
            self.edits = self.edits or self.state.to_dict()
            self.edit(self.edits, word, *rest)
            return
        if self.edits:
            self.state = self.implementation.from_dict(self.edits, preset=self.preset, **self.fields)
            self.edits = None
        if word == ">":
            self.state.apply(self.state.text_to_action(rest[0]))
        elif word == "=":
            for expectation in line[1:].split(" ; "):
                self.expect(*expectation.split())
                self.checked += 1
        else:
            assert word == "forfeit"
            self.state.forfeit(int(rest[0]), rest[1])

    def edit(self, variables, word, *rest):
        if word == "set":
            p, slot = map(int, rest[0].split("."))
            self._set(variables, p, slot, *rest[1:])
        elif word == "setround":
            variables["round"] = int(rest[0])
        elif word == "mine":
            variables["mines"][int(rest[0])][panel(self.config, rest[1])] = int(rest[2])
        else:
            variables["qual"][int(rest[0])] = int(rest[1])

    def _set(self, variables, p, slot, field, value):
        if field in FLAGS:
            bit, flags = FLAGS[field], variables["ship_flags"][p]
            flags[slot] = flags[slot] | bit if int(value) else flags[slot] & ~bit
        elif field == "pos":
            variables["ship_pos"][p][slot] = panel(self.config, value)
        else:
            variables[f"ship_{field}"][p][slot] = int(value)

    # -- expectations -----------------------------------------------------------------------------

    def expect(self, word, *rest):
        if re.fullmatch(r"\d\.\d+", word):
            assert self.field(*map(int, word.split(".")), rest[0]) == rest[1], (word, rest)
        else:
            getattr(self, f"expect_{word}")(*rest)

    def field(self, p, slot, name):
        """Return a variable of a ship as text."""
        variables = self.state.to_dict()
        if name in FLAGS:
            return str(int(bool(variables["ship_flags"][p][slot] & FLAGS[name])))
        value = variables[f"ship_{name}"][p][slot]
        return notation.panel_name(self.config, value) if name == "pos" else str(value)

    def expect_cur(self, value):
        assert self.state.current_player == int(value)

    def expect_round(self, value):
        assert self.state.to_dict()["round"] == int(value)

    def expect_notover(self):
        assert not self.state.is_terminal()

    def expect_over(self, how, sides):
        assert self.state.is_terminal()
        wanted = sorted(map(int, sides.split(",")))
        assert (len(wanted) == 1) == (how == "win")
        assert self.state.to_dict()["winners"] == sum(1 << side for side in wanted)

    def expect_reason(self, word):
        assert REASONS[self.state.to_dict()["reason"]] == word

    def expect_returns(self, *values):
        assert list(self.state.returns()) == list(map(float, values))

    def expect_legal(self, text):
        assert self.state.text_to_action(text) in list(self.state.legal_actions())

    def expect_illegal(self, text):
        assert self.state.text_to_action(text) not in list(self.state.legal_actions())

    def count_events(self, p, kind, *conditions):
        """Count the events of the last call, as the player sees them, that match; -1 stands for a hidden value."""
        assert kind in KINDS
        count = 0
        for event in self.state.events(int(p)):
            told = {condition.partition("=")[0]: condition.partition("=")[2] for condition in conditions}
            assert set(told) <= {"player", "slot", "cls", "panel", *EVENTS[kind]}, (kind, conditions)
            shown = {
                name: WORDS[kind, name][int(value)] if (kind, name) in WORDS and value.isdigit() else value
                for name, value in told.items()
            }
            count += event["kind"] == kind and all(str(event.get(name, -1)) == value for name, value in shown.items())
        return count

    def expect_ev(self, p, kind, *conditions):
        assert self.count_events(p, kind, *conditions) > 0, (p, kind, conditions, self.state.events(int(p)))

    expect_evs = expect_ev

    def expect_noev(self, p, kind, *conditions):
        assert self.count_events(p, kind, *conditions) == 0

    def expect_count(self, p, kind, n):
        assert self.count_events(p, kind) == int(n)

    def expect_mines(self, owner, name, n):
        assert self.state.to_dict()["mines"][int(owner)][panel(self.config, name)] == int(n)

    def expect_known(self, p, name, value):
        assert self.state.to_dict()["known"][panel(self.config, name)] >> int(p) & 1 == int(value)

    def expect_terrain(self, name, value):
        assert self.state.to_dict()["terrain"][panel(self.config, name)] == int(value)

    def expect_torps(self, p, n):
        assert self.state.to_dict()["torp_n"][int(p)] == int(n)

    def expect_torpat(self, p, i, name):
        assert self.state.to_dict()["torp_pos"][int(p)][int(i)] == panel(self.config, name)

    def expect_dealt(self, p, value):
        assert self.state.to_dict()["dealt"][int(p)] == int(value)

    def expect_kills(self, p, value):
        assert self.state.to_dict()["kills"][int(p)] == int(value)

    def expect_reinf(self, p, value):
        assert self.state.to_dict()["reinf_left"][int(p)] == int(value)

    def expect_qual(self, p, value):
        assert self.state.to_dict()["qual"][int(p)] == int(value)

    def expect_active(self, p, value):
        assert self.state.to_dict()["active"][int(p)] == int(value)

    def expect_score(self, p, value):
        assert int(self.state.scores()[int(p)]) == int(value)

    def expect_rcost(self, ship, value):
        p, slot = map(int, ship.split("."))
        assert State.from_dict(self.config, self.state.to_dict()).reinforce_cost(p, slot) == int(value)


def terrain_rows(state, config):
    """Return the rows of the terrain of a position."""
    return maps.to_text(state.to_dict()["terrain"], config.width).split("/")
