"""Notation of Battleship: texts of actions, events, and text boards.

A text board has `height` rows of `width` terrain letters (`. # ~ % ^`, section 3.1), followed by lines with a key and
its value. All keys are required, with one set of the lines `P0 ...` per player. A ship is written as its class (`?`:
not yet picked), panel (`-`: not yet placed), HP, FP, Aux and flags (1 stealth, 2 surfaced, 4 fuel-out, 8 flagship).
Mines are `panel*count`, torpedoes `id:panel>target`. Blank lines, and blanks at both ends of a line, are ignored::

    .....
    ..%..
    .#...
    .....
    ....^
    rng: 81985529216486895
    phase: play
    turn: cur 1 ptr 0 round 3 turns 5 passes 0
    order: 1 0
    P0: qual 1 active 1 reinf 1 flag 3 dealt 2 kills 0 next 1
    P0 ships: B@C3 3 100 0 0, D@A1 2 72 0 0, S@E5 1 90 3 1
    P0 known: C3 A1 E5 B2
    P0 mines: A2*1
    P0 torpedoes: 0:B1>D3
    P1: ...

The phase is `setup pick 0` (or `flag`, `place`, and the slot), `play`, or `over 1 victory` with the mask of the winning
sides and the reason.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.board import one_of, read_board
from ..errors import NotationError
from . import maps
from .config import CLASSES, Config

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW", "C")
"""The nine directions by number. [section 3.1] [BS-R1]"""
HEADINGS = ("N", "E", "S", "W")
"""The four directions of a move by number. [BS-62]"""

# -- actions ------------------------------------------------------------------------------------------

PASS, RESIGN, ATTACK, MOVE, MINE, TORPEDO, REINFORCE, FLAG, PICK, PLACE = range(10)
VERBS = ("pass", "resign", "attack", "move", "mine", "torpedo", "reinforce", "flag", "pick", "place")
_FORMS = ("P", "X", "A", "M", "L", "T", "R", "F", "K", "S")
"""First letter of the text of each kind. [section 6.1]"""


class Action(NamedTuple):
    """A decoded action.

    Attributes
    ----------
    kind : int
        PASS, RESIGN, ATTACK, MOVE, MINE, TORPEDO, REINFORCE, FLAG, PICK or PLACE.
    slot : int
        Slot of the ship; -1 if the kind has none.
    where : int
        Direction of ATTACK and MINE (0..8) or MOVE (0..3), class of PICK (0..3), panel of TORPEDO, REINFORCE and
        PLACE; 0 for other kinds.
    distance : int
        Number of panels of a MOVE, from 1; 0 for other kinds.
    """

    kind: int
    slot: int = -1
    where: int = 0
    distance: int = 0


def sizes(config: Config) -> tuple[int, ...]:
    """Return the number of codes of each kind, in the order of the kinds. [section 6.2]"""
    return _sizes(config.max_fleet, config.panels, config.max_distance)


@functools.lru_cache(maxsize=64)
def _sizes(ships: int, panels: int, longest: int) -> tuple[int, ...]:
    return 1, 1, 9 * ships, 4 * longest * ships, 9 * ships, panels * ships, panels * ships, ships, 4, panels


def num_actions(config: Config) -> int:
    """Return the number of action codes. [section 6.2]"""
    return sum(sizes(config))


def encode(config: Config, action: Action) -> int:
    """Return the code of an action, 0..num_actions-1. [section 6.2]"""
    kind, slot, where, distance = action
    if kind in (ATTACK, MINE):
        where += slot * 9
    elif kind == MOVE:
        where = (slot * 4 + where) * config.max_distance + distance - 1
    elif kind in (TORPEDO, REINFORCE):
        where += slot * config.panels
    elif kind == FLAG:
        where = slot
    return sum(sizes(config)[:kind]) + where


def decode(config: Config, code: int) -> Action:
    """Return the action of a code in 0..num_actions-1, the inverse of `encode`. [section 6.2]"""
    kind = 0
    for size in sizes(config):
        if code < size:
            break
        code -= size
        kind += 1
    if kind in (ATTACK, MINE):
        return Action(kind, *divmod(code, 9))
    if kind == MOVE:
        line, step = divmod(code, config.max_distance)
        return Action(kind, *divmod(line, 4), step + 1)
    if kind in (TORPEDO, REINFORCE):
        return Action(kind, *divmod(code, config.panels))
    if kind == FLAG:
        return Action(kind, code)
    return Action(kind, where=code)


def action_to_text(config: Config, action: int) -> str:
    """Return the text of an action code, such as `A0NE`. [section 6.1]

    Raises
    ------
    ValueError
        If the code is not in 0..num_actions-1 of this config.
    """
    if not 0 <= action < num_actions(config):
        raise ValueError(f"action: expected 0..{num_actions(config) - 1}, got {action}")
    kind, slot, where, distance = decode(config, action)
    form = _FORMS[kind]
    if kind in (ATTACK, MINE):
        return f"{form}{slot}{DIRECTIONS[where]}"
    if kind == MOVE:
        return f"{form}{slot}{HEADINGS[where]}{distance}"
    if kind in (TORPEDO, REINFORCE):
        return f"{form}{slot}{panel_name(config, where)}"
    if kind == FLAG:
        return f"{form}{slot}"
    if kind == PICK:
        return form + CLASSES[where]
    return form + panel_name(config, where) if kind == PLACE else form


_ACTION = re.compile(
    rf"(?P<kind>[AL])(?P<slot>\d\d?)(?P<direction>{'|'.join(sorted(DIRECTIONS, key=len, reverse=True))})"
    r"|(?P<move>M)(?P<mover>\d\d?)(?P<heading>[NESW])(?P<distance>\d)"
    r"|(?P<aim>[TR])(?P<aimer>\d\d?)(?P<panel>[A-I]\d)"
    rf"|(?P<flag>F)(?P<flagship>\d\d?)|(?P<pick>K)(?P<cls>[{CLASSES}])|(?P<place>S)(?P<start>[A-I]\d)|[PX]",
    re.ASCII,
)


def text_to_action(config: Config, text: str) -> int:
    """Return the code of an action's text, the inverse of `action_to_text`.

    Raises
    ------
    NotationError
        If the text is not an action of this config.
    """
    match = _ACTION.fullmatch(text.strip())
    if not match:
        raise NotationError(
            f"expected an action such as A0NE, M1E3, L1C, T2E5, R1B2, F2, P, X, KD or SC3, got {text!r}"
        )
    kind = _FORMS.index(text.strip()[0])
    slot = int(match["slot"] or match["mover"] or match["aimer"] or match["flagship"] or 0)
    if slot >= config.max_fleet:
        raise NotationError(f"{text!r}: slot: expected 0..{config.max_fleet - 1}, got {slot}")
    distance = int(match["distance"] or 0)
    if kind == MOVE and not 1 <= distance <= config.max_distance:
        raise NotationError(f"{text!r}: distance: expected 1..{config.max_distance}, got {distance}")
    where = 0
    if match["panel"] or match["start"]:
        where = panel_index(config, match["panel"] or match["start"])
    elif match["direction"]:
        where = DIRECTIONS.index(match["direction"])
    elif match["heading"]:
        where = HEADINGS.index(match["heading"])
    elif match["cls"]:
        where = CLASSES.index(match["cls"])
    return encode(config, Action(kind, slot, where, distance))


def panel_name(config: Config, panel: int) -> str:
    """Return the column letter and row number of a panel; A1 is north-west. [section 3.1]"""
    y, x = divmod(panel, config.width)
    return "ABCDEFGHI"[x] + str(y + 1)


def panel_index(config: Config, name: str) -> int:
    """Return the number of a panel, the inverse of `panel_name`; raise NotationError if it is not on the map."""
    if len(name) == 2:
        x, y = "ABCDEFGHI".find(name[0]), "123456789".find(name[1])
        if 0 <= x < config.width and 0 <= y < config.height:
            return y * config.width + x
    raise NotationError(f"expected a panel A1..{panel_name(config, config.panels - 1)}, got {name!r}")


# -- events -------------------------------------------------------------------------------------------

DEFEATS = ("annihilated", "flagship", "ally", "resign", "timeout", "illegal", "unable")
REASONS = ("victory", "fuel", "stalled", "round_limit", "max_rounds", "mutual")
STOPS = ("none", "reef", "wave", "sunk")
BY_ATTACK, BY_MINE, BY_FUEL_OUT = range(3)  # causes of SUNK
_OWN = ("player", "slot", "cls", "panel")
EVENTS: dict[str, tuple[str, ...]] = {
    "TURN": (),
    "ATTACK": ("torpedo", "why", "id"),
    "HIT": ("hp",),
    "MISS": (),
    "SPLASH": (),
    "SUNK": ("cause",),
    "MOVE": ("dir", "dist", "stop"),
    "MINE_HIT": ("n",),
    "MINE_LAID": (),
    "MINE_LOST": ("n", "cause"),
    "MINE_SWEPT": (),
    "TORP_FIRED": ("id",),
    "TORP_MOVE": ("id",),
    "SURFACED": (),
    "DIVED": (),
    "STEALTH": ("on",),
    "FUEL_OUT": (),
    "REFUEL": ("target", "n"),
    "REINFORCED": (),
    "FLAG_CHANGED": (),
    "TERRAIN": ("terrain",),
    "STATUS": ("hp", "fp", "aux", "flags"),
    "PASS": (),
    "DEFEATED": ("cause",),
    "OUT": ("cause",),
    "GAME_OVER": ("winners", "reason"),
    "START": ("order",),
    "SETUP": ("flagship",),
}
"""Names of the columns a, b, .. of each kind of event; the kinds are in the order of their numbers. [section 9.2]"""
KINDS = tuple(EVENTS)
WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("SUNK", "cause"): ("attack", "mine", "fuel"),
    ("MOVE", "stop"): STOPS,
    ("MINE_LOST", "cause"): ("contact", "swept"),
    ("DEFEATED", "cause"): DEFEATS,
    ("OUT", "cause"): DEFEATS,
    ("GAME_OVER", "reason"): REASONS,
}
"""Words for the values of columns that are written as words."""

View = tuple[int, ...]
"""Event as seen by a player: kind, round, player, slot, cls, panel, a, b, c, d, e; -1 if hidden or absent."""


def event_to_dict(config: Config, view: Sequence[int]) -> dict[str, Any]:
    """Return an event as a dict, such as {"kind": "HIT", "round": 3, "player": 1, "panel": "D3"}. [section 14.5]

    Parameters
    ----------
    config : Config
        Config of the game.
    view : sequence of int
        Event as a player sees it (`View`).

    Returns
    -------
    dict
        The visible values by name; hidden and absent ones are left out. A class is its letter, a panel its name; a
        cause, stop or reason is a word; `order` is a list of players, `winners` a list of sides; all others are ints.
    """
    kind = KINDS[view[0]]
    event: dict[str, Any] = {"kind": kind, "round": view[1]}
    for name, value in zip((*_OWN, *EVENTS[kind]), view[2:], strict=False):
        if value < 0:
            continue
        if name == "cls":
            event[name] = CLASSES[value]
        elif name == "panel":
            event[name] = panel_name(config, value)
        elif name == "order":
            event[name] = list(view[6 : 6 + config.players])
        elif name == "winners":
            event[name] = [side for side in range(config.players) if value >> side & 1]
        else:
            words = WORDS.get((kind, name))
            event[name] = words[value] if words else value
    return event


def information_state(player: int, views: Sequence[Sequence[int]]) -> str:
    """Return a player and the events it has seen as text: `0|26,0,-1,...|0,1,...`, one event per bar. [section 9.1]"""
    return "|".join([str(player), *(",".join(map(str, view)) for view in views)])


def setup_state(config: Config, player: int, cur: int, said: Iterable[Action]) -> str:
    """Return the information state during setup as text, such as `0 1 KB KD F0 SC3`. [section 9.1]

    Parameters
    ----------
    config : Config
        Config of the game.
    player : int
        The player whose information state it is.
    cur : int
        The player who decides now.
    said : iterable of Action
        The setup decisions of `player`, in order.
    """
    return " ".join([str(player), str(cur), *(action_to_text(config, encode(config, action)) for action in said)])


def views_of(text: str) -> tuple[int, list[View]]:
    """Return (player, views) of an information state; during setup, the views are empty.

    Raises
    ------
    NotationError
        If the text is not an information state.
    """
    player, *views = text.split("|")
    try:
        seat = int(player if views else player.split(" ")[0])
        return seat, [tuple(map(int, view.split(","))) for view in views]
    except ValueError:
        raise NotationError(f"expected an information state, got {text[:80]!r}") from None


# -- text boards --------------------------------------------------------------------------------------

SETUPS = ("pick", "flag", "place")
_TURN = ("cur", "ptr", "round", "turns", "passes")
_COUNTS = ("qual", "active", "reinf", "flag", "dealt", "kills", "next")
_PHASE = re.compile(rf"play|setup ({'|'.join(SETUPS)}) (\d{{1,9}})|over (\d{{1,9}}) ({'|'.join(REASONS)})", re.ASCII)
_SHIP = re.compile(rf"([{CLASSES}?])@(-|[A-I]\d) (\d{{1,9}}) (\d{{1,9}}) (\d{{1,9}}) (\d{{1,9}})", re.ASCII)
_MINE = re.compile(r"([A-I]\d)\*(\d{1,9})", re.ASCII)
_TORPEDO = re.compile(r"(\d{1,9}):([A-I]\d)>([A-I]\d)", re.ASCII)


def to_text(config: Config, variables: Mapping[str, Any]) -> str:
    """Return the text board of a position (`State.to_dict`), the inverse of `parse`."""
    v = variables
    phase = "play"
    if v["phase"] == 0:
        phase = f"setup {SETUPS[v['setup_kind']]} {v['setup_i']}"
    elif v["phase"] == 2:
        phase = f"over {v['winners']} {REASONS[v['reason']]}"
    turn = zip(_TURN, (v["cur"], v["ptr"], v["round"], v["turns"], v["pass_run"]), strict=True)
    lines = maps.to_text(v["terrain"], config.width).split("/")
    lines += [f"rng: {v['rng']}", f"phase: {phase}", "turn: " + " ".join(f"{name} {value}" for name, value in turn)]
    lines.append("order: " + " ".join(map(str, v["order"])))
    for p in range(config.players):
        keys = ("qual", "active", "reinf_left", "flag_left", "dealt", "kills", "torp_next")
        counts = zip(_COUNTS, (v[key][p] for key in keys), strict=True)
        lines.append(f"P{p}: " + " ".join(f"{name} {value}" for name, value in counts))
        lines += [f"P{p} {word}: {words}".rstrip() for word, words in _belongings(config, v, p)]
    return "\n".join(lines)


def _belongings(config: Config, v: Mapping[str, Any], p: int) -> Iterator[tuple[str, str]]:
    """Yield (word, value) for each line of a player's ships, known panels, mines and torpedoes."""

    def name(panel: int) -> str:
        return "-" if panel < 0 else panel_name(config, panel)

    ships = []
    for slot in range(config.fleet_sizes[p]):
        cls = v["ship_cls"][p][slot]
        numbers = " ".join(str(v[key][p][slot]) for key in ("ship_hp", "ship_fp", "ship_aux", "ship_flags"))
        ships.append(f"{'?' if cls < 0 else CLASSES[cls]}@{name(v['ship_pos'][p][slot])} {numbers}")
    yield "ships", ", ".join(ships)
    yield "known", " ".join(name(q) for q in range(config.panels) if v["known"][q] >> p & 1)
    yield "mines", " ".join(f"{name(q)}*{count}" for q, count in enumerate(v["mines"][p]) if count)
    flights = zip(v["torp_id"][p], v["torp_pos"][p], v["torp_tgt"][p], strict=True)
    yield "torpedoes", " ".join(f"{t}:{name(q)}>{name(to)}" for t, q, to in list(flights)[: v["torp_n"][p]])


def parse(config: Config, text: str) -> dict[str, Any]:
    """Return the variables of section 3.2 of a text board.

    The values are not checked against the invariants of positions; State does that.

    Raises
    ------
    NotationError
        If the text is not a board of this config; the error has line and column.
    """
    return _Reader(config, text).variables()


class _Reader:
    """Reader of the lines of a text board."""

    def __init__(self, config: Config, text: str) -> None:
        self.config = config
        keys = ["rng", "phase", "turn", "order"]
        for p in range(config.players):
            keys += [f"P{p}", *(f"P{p} {word}" for word in ("ships", "known", "mines", "torpedoes"))]
        board = read_board(text, config.width, config.height, one_of(maps.LETTERS, "panels"), "panels")
        for key, _, line, column in board.entries:
            if key not in keys:
                raise NotationError(f"expected one of {', '.join(keys)}, got {key!r}", line, column - len(key) - 1)
        self.letters, self.lines = board.letters, board.by_key()
        for key in keys:
            if key not in self.lines:
                raise NotationError(f"{key}: missing", board.end, 1)

    def _fail(self, key: str, wanted: str) -> NotationError:
        _, rest, line, column = self.lines[key]
        return NotationError(f"{key}: expected {wanted}, got {rest!r}", line, column)

    def _int(self, key: str, word: str, wanted: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,20}", word):
            raise self._fail(key, wanted)
        return int(word)

    def _read_named(self, key: str, names: Sequence[str]) -> list[int]:
        """Return the numbers of a value "name number name number ..."."""
        words = self.lines[key].value.split()
        wanted = " ".join(f"{name} n" for name in names)
        if words[0::2] != list(names) or len(words) != 2 * len(names):
            raise self._fail(key, wanted)
        return [self._int(key, word, wanted) for word in words[1::2]]

    def _each(self, key: str, form: re.Pattern[str], separator: str | None, wanted: str) -> list[re.Match[str]]:
        rest = self.lines[key].value
        found = [form.fullmatch(word.strip()) for word in rest.split(separator)] if rest else []
        if None in found:
            raise self._fail(key, wanted)
        return [match for match in found if match]

    def _panel(self, key: str, name: str) -> int:
        try:
            return panel_index(self.config, name)
        except NotationError as error:
            _, _, line, column = self.lines[key]
            raise NotationError(f"{key}: {error}", line, column) from None

    def variables(self) -> dict[str, Any]:
        config = self.config
        phase = _PHASE.fullmatch(self.lines["phase"].value)
        if not phase:
            raise self._fail("phase", "setup KIND SLOT, play, or over SIDES REASON")
        kind, slot, winners, reason = phase.groups()
        cur, ptr, number, turns, passes = self._read_named("turn", _TURN)
        order = [self._int("order", word, "players") for word in self.lines["order"].value.split()]
        values: dict[str, Any] = {
            "rng": self._int("rng", self.lines["rng"].value, "a number"),
            "phase": 0 if kind else 2 if reason else 1,
            "setup_kind": SETUPS.index(kind) if kind else 0,
            "setup_i": int(slot or 0),
            "cur": cur,
            "order": order,
            "ptr": ptr,
            "round": number,
            "turns": turns,
            "pass_run": passes,
            "terrain": [maps.LETTERS.index(letter) for letter in self.letters],
            "known": [0] * config.panels,
            "winners": int(winners or 0),
            "reason": REASONS.index(reason) if reason else -1,
        }
        for p in range(config.players):
            for name, value in self._player(p, values["known"]).items():
                values.setdefault(name, []).append(value)
        return values

    def _player(self, p: int, known: list[int]) -> dict[str, Any]:
        """Return the variables of a player; set its bits in `known`."""
        config = self.config
        keys = ("qual", "active", "reinf_left", "flag_left", "dealt", "kills", "torp_next")
        variables: dict[str, Any] = dict(zip(keys, self._read_named(f"P{p}", _COUNTS), strict=True))
        key = f"P{p} ships"
        ships = [match.groups() for match in self._each(key, _SHIP, ",", "CLASS@PANEL HP FP AUX FLAGS, ...")]
        if len(ships) != config.fleet_sizes[p]:
            raise self._fail(key, f"{config.fleet_sizes[p]} ships")
        none = [-1] * (config.max_fleet - len(ships))
        zero = [0] * len(none)
        variables["ship_cls"] = [CLASSES.find(cls) for cls, *_ in ships] + none
        variables["ship_pos"] = [-1 if q == "-" else self._panel(key, q) for _, q, *_ in ships] + none
        for place, name in enumerate(("ship_hp", "ship_fp", "ship_aux", "ship_flags"), 2):
            variables[name] = [int(ship[place]) for ship in ships] + zero
        for name in self.lines[f"P{p} known"].value.split():
            known[self._panel(f"P{p} known", name)] |= 1 << p
        variables["mines"] = [0] * config.panels
        for match in self._each(f"P{p} mines", _MINE, None, "PANEL*COUNT ..."):
            variables["mines"][self._panel(f"P{p} mines", match[1])] = int(match[2])
        key = f"P{p} torpedoes"
        flights = self._each(key, _TORPEDO, None, "ID:PANEL>TARGET ...")
        if len(flights) > config.max_torpedoes:
            raise self._fail(key, f"at most {config.max_torpedoes} torpedoes")
        zero = [0] * (config.max_torpedoes - len(flights))
        variables["torp_n"] = len(flights)
        variables["torp_pos"] = [self._panel(key, match[2]) for match in flights] + zero
        variables["torp_tgt"] = [self._panel(key, match[3]) for match in flights] + zero
        variables["torp_id"] = [int(match[1]) for match in flights] + zero
        return variables
