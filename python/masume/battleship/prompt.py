"""What a person types at the terminal: verbs, ships by the numbers on the board, directions and panels."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..errors import NotationError
from .config import CLASSES
from .missions import goal
from .notation import (
    ATTACK,
    DIRECTIONS,
    FLAG,
    HEADINGS,
    MINE,
    MOVE,
    PASS,
    PICK,
    PLACE,
    REINFORCE,
    RESIGN,
    TORPEDO,
    VERBS,
    Action,
    action_to_text,
    decode,
    encode,
    panel_index,
    panel_name,
)

NAMES = {"B": "battleship", "D": "destroyer", "S": "submarine", "O": "oiler"}
SETUP = 0


def _kinds(state: Any) -> set[int]:
    """Return the kinds of action that are allowed now."""
    return {decode(state.game.config, action).kind for action in state.legal_actions().tolist()}


def question(state: Any, slot: int) -> str:  # noqa: ARG001
    """Return what is decided."""
    kinds = _kinds(state)
    if PICK in kinds:
        return _("pick the class of a ship")
    if FLAG in kinds:
        return _("choose your flagship")
    if PLACE in kinds:
        number, cls = _next(state)
        return say("place ship {number} ({cls})", number=number, cls=cls)
    return _("your order")


def _next(state: Any) -> tuple[int, str]:
    """Return number and class of the ship that is to be placed."""
    variables = state.to_dict()
    player = state.current_player
    ships = list(zip(variables["ship_cls"][player], variables["ship_pos"][player], strict=True))
    slot = next(slot for slot, (_cls, panel) in enumerate(ships) if panel < 0)
    return slot + 1, CLASSES[ships[slot][0]]


def read(state: Any, slot: int, text: str) -> str | None:  # noqa: ARG001
    """Return the action text of `attack 1 ne`, `move 2 e 3`, `mine 1 c`, `torpedo 2 d3`, `c3` and so on."""
    config, kinds = state.game.config, _kinds(state)
    words = text.replace(",", " ").split()
    if words and not words[0].isalpha() and kinds & {PLACE}:
        words.insert(0, "place")
    if len(words) == 1 and kinds & {PICK, FLAG} and (kinds & {FLAG} or words[0] not in VERBS):
        words.insert(0, "flag" if kinds & {FLAG} else "pick")
    if words in (["pass"], ["resign"]):
        return "P" if words == ["pass"] else "X"
    meant = [kind for kind, verb in enumerate(VERBS) if words and len(words[0]) > 1 and verb.startswith(words[0])]
    if len(meant) != 1 or len(words) < 2:
        raise NotationError(f"expected an order such as attack 1 ne, move 2 e 3 or pass, got {text!r}")
    kind, (first, *rest) = meant[0], words[1:]
    if kind == PICK:
        classes = [letter for letter, name in NAMES.items() if first in (letter.lower(), name)]
        if classes and not rest:
            return action_to_text(config, encode(config, Action(PICK, where=CLASSES.index(classes[0]))))
        raise NotationError(f"expected one of {', '.join(NAMES.values())}, got {text!r}")
    if kind == PLACE:
        return action_to_text(config, encode(config, Action(PLACE, where=panel_index(config, first.upper()))))
    if not first.isdecimal() or not 1 <= int(first) <= config.max_fleet:
        raise NotationError(f"expected the number of a ship, 1..{config.max_fleet}, got {first!r}")
    return action_to_text(config, encode(config, _order(state, kind, int(first) - 1, [word.upper() for word in rest])))


def _order(state: Any, kind: int, ship: int, rest: list[str]) -> Action:
    """Return the action of a ship; `rest` are the words after its number."""
    config = state.game.config
    if kind == FLAG and not rest:
        return Action(FLAG, ship)
    if kind in (ATTACK, MINE) and len(rest) == 1 and rest[0] in DIRECTIONS:
        return Action(kind, ship, DIRECTIONS.index(rest[0]))
    if kind in (TORPEDO, REINFORCE) and len(rest) == 1:
        return Action(kind, ship, panel_index(config, rest[0]))
    if kind == MOVE and 1 <= len(rest) <= 2 and rest[0] in HEADINGS:
        distance = int(rest[1]) if len(rest) == 2 and rest[1].isdecimal() else 1 if len(rest) == 1 else 0
        if 1 <= distance <= config.max_distance:
            return Action(MOVE, ship, HEADINGS.index(rest[0]), distance)
        raise NotationError(f"expected a distance 1..{config.max_distance}, got {' '.join(rest)!r}")
    wanted = {
        ATTACK: f"one of {' '.join(DIRECTIONS)}", MINE: f"one of {' '.join(DIRECTIONS)}",
        MOVE: f"one of {' '.join(HEADINGS)} and a distance", TORPEDO: "a panel such as D3", REINFORCE: "a panel",
    }.get(kind, "nothing more")  # fmt: skip
    raise NotationError(f"expected {wanted} after {VERBS[kind]} {ship + 1}, got {' '.join(rest)!r}")


def explain(state: Any, slot: int) -> list[str]:  # noqa: ARG001
    """Return what the board shows and which orders can be given."""
    kinds = _kinds(state)
    lines = [
        say("Mission {name}: {goal}", name=state.game.config.mission, goal=goal(state.game.config)),
        _(
            "*1:B3 is your ship 1, a battleship with 3 HP; B battleship, D destroyer, S submarine, O oiler, F after "
            "the HP: flagship, t a torpedo, m mines; ? a ship of the enemy that may be there."
        ),
        _("# is reef, ~ shallows, % fog, ^ high wave, nothing or . is sea. A panel is a column and a row, such as C3."),
    ]
    orders = {
        PICK: _("battleship    picks a class for the next ship; b, d, s, o do so too"),
        FLAG: _("flag 1        makes ship 1 the flagship"),
        PLACE: _("c3            places the ship on panel C3"),
        ATTACK: _("attack 1 ne   ship 1 shoots at the panel north-east of it; c is its own panel"),
        MOVE: _("move 1 e 2    ship 1 moves 2 panels east; n e s w are the directions"),
        MINE: _("mine 1 s      ship 1 lays a mine at the panel south of it"),
        TORPEDO: _("torpedo 2 d3  ship 2 fires a torpedo at panel D3"),
        REINFORCE: _("reinforce 1 b2  brings ship 1 back on panel B2"),
        PASS: _("pass          does nothing in this turn"),
        RESIGN: _("resign        gives the game up"),
    }
    return [*lines, *(line for kind, line in orders.items() if kind in kinds)]


def tell(state: Any, slot: int, action: int) -> str:  # noqa: ARG001
    """Return the short form of an action."""
    config = state.game.config
    kind, ship, where, distance = decode(config, action)
    if kind == PICK:
        return NAMES[CLASSES[where]]
    if kind == PLACE:
        return panel_name(config, where).lower()
    order = VERBS[kind] if ship < 0 else f"{VERBS[kind]} {ship + 1}"
    if kind in (ATTACK, MINE):
        return f"{order} {DIRECTIONS[where].lower()}"
    if kind == MOVE:
        return f"{order} {HEADINGS[where].lower()} {distance}"
    return f"{order} {panel_name(config, where).lower()}" if kind in (TORPEDO, REINFORCE) else order


def may_undo(state: Any) -> bool:
    """Return whether the fleet is being set up: what a player decides there tells nothing new."""
    return bool(state.phase == SETUP)
