"""How people play Nezumi on the page: mice are put and moved one after the other, the cat steps and decides."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..core.language import language, say
from ..core.language import translate as _
from ..play.menu import Card, FirstBoard, Level, Shelf, card_of
from ..render.canvas import Choice
from .notation import ADD, MICE, MOVE, PLACE, PLAYERS, PUT, REACT
from .render import CAPTURE, CAT_UNIT, GO, JUMP, LEAVE, SPARE, _mice, _stage
from .render import PUT as PUT_VERB
from .stages import CourseStage, load_course, load_shipped

LEVELS = (
    Level("random", "First steps", "moves at random"),
    Level("greedy", "Beginner", "as the cat chases the nearest mouse, as mice the nearest food"),
    Level("crafty", "Skilled", "as the cat guards the food, as mice sets traps"),
    Level("best:300ms", "Best", "thinks many moves ahead"),
)
LEVEL = "greedy"
SEATS = ("cat", "mice")
STARTS = (
    "garden", "pantry", "ring", "crossroads", "siege", "pillars", "vault", "warren", "granary", "feast",
)  # fmt: skip
"""From the smallest stages to those with many mice and much food."""
FIRST_BOARD = FirstBoard(
    "Eat and run, or corner the cat.",
    start="garden",
    seconds=48,
    source="21 games of greedy against random, benches/page_minutes.py",
)
WAYS = ("n", "e", "s", "w")
PAD = {"keys": "arrows", "groups": [[[GO, JUMP, LEAVE], ""]], "next": True}
ABOUT = "Mice eat, the cat captures. Mice on all free diagonals around the cat win at once."
HELP = (
    "Food that is eaten is the mice's score, and each mouse on the stage costs a little every turn.",
    "Every mouse must move each turn. It jumps over mice in its way; an arc shows where it lands.",
    "When a mouse arrives next to the cat, the cat decides at once: capture it or leave it alone.",
    "Keys: arrows move the ringed piece and the next one follows; 1 to 9 choose a piece, u takes back.",
)


def choices(state: Any, player: int) -> list[Choice]:  # noqa: ARG001
    """Return what the cat or a mouse may do; the landing cell of a jump is that of the rules, tried on a copy."""
    stage, variables = _stage(state), state.to_dict()
    cells, phase = stage.height * stage.width, variables["phase"]
    unmoved, _moved = _mice(variables)
    number = {cell: 1 + n for n, cell in enumerate(unmoved)}
    offered: list[Choice] = []
    puts: list[int] = []
    for code in state.legal_actions().tolist():
        cell, kind = divmod(code, 5)
        if cell >= cells:
            offered.append(_of_cat(state, code, code - 5 * cells, phase))
        elif kind == PUT and phase != MOVE:
            puts.append(code)
        elif kind == PUT:
            offered.append(Choice([code], [cell], LEAVE, units=[number[cell]]))
        else:
            offered.append(_of_mouse(state, code, number[cell]))
    if puts:
        brings = [_cost(variables)] * len(puts)
        offered.append(Choice(puts, [code // 5 for code in puts], PUT_VERB, brings=brings))
    return offered


def _cost(variables: dict[str, Any]) -> str:
    """Return what the turn would cost with one more mouse. [NZ-16]"""
    mice = 1 + sum(map(bool, variables["mouse"]))
    return say("with it a turn costs {mg} mg", mg=mice * (variables["captured"] + 1))


def _of_cat(state: Any, code: int, sign: int, phase: int) -> Choice:
    """Return the choice of an action that names no cell: pass, a step of the cat, or capture."""
    if sign == 0:
        word = _("done") if state.current_player == MICE else _("leave it alone") if phase == REACT else _("stay")
        return Choice([code], [-1], SPARE, word=word)
    if sign == 5:
        return Choice([code], [-1], CAPTURE, word=_("capture it"))
    after = state.clone()
    after.apply(code)
    target = after.to_dict()["cat"]
    return Choice(
        [code], [target], GO, units=[CAT_UNIT], ways=[WAYS[sign - 1]], notes=[_forecast(after)], brings=[_tell(after)],
    )  # fmt: skip


def _of_mouse(state: Any, code: int, unit: int) -> Choice:
    """Return the choice of a mouse's step or jump: where it lands, its own cell if it leaves the stage."""
    after = state.clone()
    after.apply(code)
    events = after.events()
    jumps = [event for event in events if event["event"] == "jump"]
    target = jumps[0]["to"] if jumps else code // 5
    verb = LEAVE if any(event["event"] == "leave" for event in events) else GO
    verb = JUMP if jumps and jumps[0]["over"] else verb
    return Choice(
        [code], [target], verb, units=[unit], ways=[WAYS[code % 5]], notes=[_forecast(after)], brings=[_tell(after)],
    )  # fmt: skip


def _forecast(after: Any) -> str:
    """Return what an action brings, shortly: food, `!` for a capture that it makes possible, `=` and the winner."""
    if after.is_terminal():
        return f"= {_(PLAYERS[int(after.returns()[1] > 0)])}"
    eaten = sum(event["mg"] for event in after.events() if event["event"] == "eat")
    met = any(event["event"] in ("enter", "capture") for event in after.events())
    return (f"+{eaten}" if eaten else "") + "!" * met


def _tell(after: Any) -> str:
    """Return what an action has brought, in words: food, the cat next to it, the end."""
    words = []
    events = after.events()
    eaten = sum(event["mg"] for event in events if event["event"] == "eat")
    if eaten:
        words.append(say("the mice eat {mg} mg", mg=f"{eaten:,}"))
    if any(event["event"] == "leave" for event in events):
        words.append(_("the mouse leaves the stage"))
    if any(event["event"] == "capture" for event in events):
        words.append(_("the cat captures a mouse"))
    if any(event["event"] == "enter" for event in events):
        words.append(_("a mouse is next to the cat, which may capture it"))
    if after.is_terminal():
        words.append(_("the mice win") if after.returns()[MICE] > 0 else _("the cat wins"))
    return "; ".join(words)


def task(state: Any, player: int) -> str:  # noqa: ARG001
    """Return what the player is asked for, in words."""
    stage, variables = _stage(state), state.to_dict()
    phase = variables["phase"]
    left = stage.max_mice - sum(map(bool, variables["mouse"])) - variables["captured"]
    if phase == PLACE:
        return say("put up to {count} mice in the zone", count=left)
    if phase == ADD:
        return say("put a mouse in the zone, or none; {count} in reserve", count=left)
    if phase == MOVE:
        return say("move each mouse, {count} to go", count=len(_mice(variables)[0]))
    if phase == REACT:
        row, column = divmod(variables["react_cell"], stage.width)
        return say("a mouse is on {cell}: capture it?", cell=f"{column},{row}")
    return _("move the cat, or stay")


ENDINGS = {
    "SURROUND": "the mice have surrounded the cat",
    "CAPTURES": "the cat has caught its quota: food less cost decides",
    "TURNS": "the turns are over: food less cost decides",
}
"""How a game ended, in words, by its reason. [section 8]"""

MANY = 5  # mice of a crowd
TAUGHT = {
    "garden": "An open lawn with four pillars: find out what a mouse costs, and what it brings home.",
    "pantry": "Shelves, and the cat waits on the far side: come from two sides.",
    "ring": "An inner yard inside a ring road: the cat cannot watch both.",
    "pillars": "Every way is a loop: escape is easy, time is short.",
    "vault": "One huge wheel of cheese in a guarded room: cost is nothing, only getting it counts.",
    "crossroads": "Four rooms with narrow doors, where a single mouse can surround the cat.",
    "siege": "Next to nothing to eat: eight mice must go for the surround.",
    "warren": "Burrows, bends and dead ends: know the way back.",
    "feast": "Two far roasts: a lone mouse is stopped, a group draws the cat apart.",
    "granary": "Large and mixed, ten mice in stock: how many should come in?",
}
"""What the built-in stages teach."""


def menu() -> list[Shelf]:
    """Return the course from easy to hard, then the built-in stages: those that need many mice, and the others."""
    lessons = list(load_course().values())
    shipped = load_shipped()
    tutorial = [lesson for lesson in lessons if lesson.group == "tutorial"]
    crowds = [lesson for lesson in lessons if lesson.group == "siege" or lesson.stage.max_mice >= MANY]
    many = [name for name in STARTS if shipped[name].max_mice >= MANY]
    few = [name for name in STARTS if name not in many]
    return [
        Shelf(_("First stages"), [_card(lesson, lessons) for lesson in tutorial]),
        Shelf(_("From easy to hard"), [_card(lesson, lessons) for lesson in lessons if lesson not in tutorial]),
        Shelf(
            _("Crowds and sieges"),
            [_card(lesson, lessons) for lesson in crowds] + [_shipped(name) for name in many],
        ),
        Shelf(_("More stages"), [_shipped(name) for name in few]),
    ]


def _shipped(name: str) -> Card:
    """Return the card of a built-in stage."""
    return dataclasses.replace(card_of("nezumi", name, MICE), text=_(TAUGHT[name]))


def _card(lesson: CourseStage, lessons: list[CourseStage]) -> Card:
    """Return the card of a stage of the course: its number, what it teaches and its par."""
    if lesson.group == "siege":
        par = say("par: surround the cat in {turns} turns", turns=lesson.par)
    elif lesson.is_exact:
        par = say("par {mg} mg, exact", mg=f"{lesson.par:,}")
    else:
        par = say("par {mg} mg, the best known", mg=f"{lesson.par:,}")
    return Card(
        f"{lessons.index(lesson) + 1}. {lesson.name}",
        lesson.name,
        text=lesson.teaches.get(language(), lesson.teaches["en"]),
        note=f"{_(lesson.group)} · {par}",
        side=PLAYERS.index(lesson.side),
    )
