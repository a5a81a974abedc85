"""How people play Kakomimasu on the page: each agent of a player picks its target, then the turn ends for all."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..play.menu import Card, FirstBoard, Level, Shelf
from ..render.canvas import Choice
from .boards import load_shipped
from .notation import FIRST_MOVE, FIRST_PUT, PLAYERS
from .render import MOVE, PUT, REMOVE, STAY, _aim

LEVELS = (
    Level("random", "First steps", "moves at random"),
    Level("a1", "Beginner", "begins on the best cells, then wanders"),
    Level("a3", "Apprentice", "takes the best cell next to each mason"),
    Level("greedy", "Skilled", "looks a few steps ahead with each mason"),
    Level("best:200ms", "Best", "plans eight turns of all masons together"),
)
LEVEL = "a1"
STARTS = ("court", "hill", "meadow", "heath", "marsh", "isle", "strait", "isles", "reef")
SEATS = ("A", "B")
CLOCKS = ("none", "move=30000", "move=10000", "move=4000")
VARIANTS: dict[str, dict[str, Any]] = {
    "10 × 10, 3 agents": {"width": 10, "height": 10, "n_agents": 3, "total_turns": 30},
    "8 × 8, 2 agents": {"width": 8, "height": 8, "n_agents": 2, "total_turns": 20},
}
FIRST_BOARD = FirstBoard(
    "Build walls, fence in land: fenced land pays.",
    variant="8 × 8, 2 agents",
    seconds=150,
    source="21 games of a1 against random, benches/page_minutes.py",
)

WAYS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
PAD = {"keys": "letters", "groups": [[[MOVE], ""], [[REMOVE], "Shift"], [[STAY], "s"]]}
"""Q W E, A D, Z X C move, with Shift they remove; S stays."""
REST = "the others stay"
ABOUT = "Your agents build walls where they go. A closed ring of walls makes what is inside your territory."
HELP = (
    "Give each agent an order, then end the turn: all agents of all players act at once.",
    "Two agents with the same target stay where they are. Remove an enemy wall before you go there.",
    "Walls and territory count the points of their cells; negative points in territory count as positive.",
    "Drag from an agent over cells: it walks there, one each turn, and removes enemy walls. g keeps a direction.",
    "Keys: Q W E, A D, Z X C move the chosen agent, with Shift they remove, S stays, Ctrl+Enter ends the turn.",
)


def choices(state: Any, player: int) -> list[Choice]:
    """Return what each agent may do, one Choice for each verb; agents off the board may be put on the same cells."""
    variables = state.to_dict()
    config, slots = variables["config"], state.slots.tolist()
    width, height = config["width"], config["height"]
    places = [cell for cells in variables["pos"] for cell in cells]
    offered: list[Choice] = []
    waiting: dict[tuple[int, ...], list[int]] = {}
    for slot, owner in enumerate(slots):
        if owner != player:
            continue
        codes = state.legal_actions(slot).tolist()
        puts = tuple(code for code in codes if code >= FIRST_PUT)
        if puts:
            waiting.setdefault(puts, []).append(slot)
        by_verb: dict[int, list[tuple[int, int]]] = {}
        for code in codes:
            if code < FIRST_PUT:
                verb, cell = _aim(code, places[slot], width, height)
                by_verb.setdefault(verb, []).append((code, cell))
        for verb, pairs in by_verb.items():
            if verb == STAY or pairs[0][1] >= 0:
                ways = [] if verb == STAY else [WAYS[(code - FIRST_MOVE) % 8] for code, _ in pairs]
                brings = [_foretell(state, player, slot, code) for code, _cell in pairs]
                offered.append(
                    Choice(
                        [c for c, _ in pairs], [t for _, t in pairs], verb, units=[slot], slots=[slot], ways=ways,
                        brings=brings,
                    )
                )  # fmt: skip
    for puts, agents in waiting.items():
        brings = [_foretell(state, player, agents[0], code) for code in puts]
        offered.append(
            Choice(puts, [code - FIRST_PUT for code in puts], PUT, units=agents, slots=agents, brings=brings)
        )
    return offered


def _foretell(state: Any, player: int, slot: int, code: int) -> str:
    """Return what an action of an agent brings if nobody else acts: points of walls and territory. [KM-46] [KM-47]"""
    after = state.clone()
    after.apply([code if one == slot else after.fallback(one) for one in range(len(state.slots))])
    if after.results[slot]:
        return _("stays here if the others stay")
    walls, territory = after.wall_points - state.wall_points, after.territory_points - state.territory_points
    parts = []
    if walls[player] or territory[player]:
        numbers = {"walls": f"{walls[player]:+d}", "territory": f"{territory[player]:+d}"}
        parts.append(
            say("walls {walls}, territory {territory}", **numbers)
            if territory[player]
            else say("walls {walls}", walls=numbers["walls"])
        )
    changes = walls + territory
    parts += [
        f"{PLAYERS[other]} {change:+d}" for other, change in enumerate(changes.tolist()) if other != player and change
    ]
    return "; ".join(parts)


def menu() -> list[Shelf]:
    """Return the boards, from small to large."""
    cards = []
    for name in STARTS:
        board = load_shipped()[name]
        size = f"{board.width}×{board.height}"
        note = say("{size}, {agents} agents, {turns} turns", size=size, agents=board.n_agents, turns=board.total_turns)
        cards.append(Card(name, name, note=note))
    return [Shelf(_("From small to large"), cards)]
