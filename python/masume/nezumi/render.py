"""Rendering of Nezumi: walls, zone, food with its mg, cat and mice as discs, and the last action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Unit, Verb
from .notation import MICE, PHASES, PLACE, PLAYERS, UNMOVED
from .shapes import SHAPES, food_of
from .stages import UNITS, Stage

FLOOR, WALL, ZONE, FOOD, ZONE_FOOD = ".#Z*+"  # marks
TILES = (
    Tile(FLOOR, "plain", -1, "floor"),
    Tile(WALL, "block", -1, "wall"),
    Tile(ZONE, "zone", -1, "zone"),
    Tile(FOOD, "plain", -1, "food", "food"),
    Tile(ZONE_FOOD, "zone", -1, "food in the zone", "food"),
)
GO, JUMP, PUT, CAPTURE, SPARE, LEAVE = range(6)  # indices into VERBS
VERBS = (
    Verb("go", "arrow"),
    Verb("jump", "arc"),
    Verb("put", "ring"),
    Verb("capture", "cross"),
    Verb("spare", "ring"),
    Verb("leave", "cross"),
)
DONE, ATE, MET = range(3)  # indices into OUTCOMES
OUTCOMES = (Outcome("done", ""), Outcome("ate", ""), Outcome("met the cat", "!"))
CAT_UNIT = 0


def scene(state: Any) -> Scene:
    """Return the stage, the cat, and units for the whole stock of mice: M not moved this turn, m moved."""
    stage = _stage(state)
    return Scene(
        title=f"{_('Nezumi')} {stage.name or f'{stage.width}×{stage.height}'}",
        width=stage.width,
        height=stage.height,
        players=PLAYERS,
        score_names=("score",),
        tiles=TILES,
        units=(
            Unit(0, "C", "cat"),
            *(Unit(1, name, shape) for name, shape in (("M", "mouse"), ("m", "moved")) for _ in range(stage.max_mice)),
        ),
        shapes=SHAPES,
        verbs=VERBS,
        outcomes=OUTCOMES,
    )


def frame(state: Any) -> Frame:
    """Return food, cat, mice and score of one position; mice are numbered in the order of their cells."""
    stage, variables = _stage(state), state.to_dict()
    mice = _mice(variables)
    return Frame(
        caption=_caption(state, stage, variables),
        scores=[(int(score),) for score in state.scores()],
        cells="".join(map(_mark, stage.wall, stage.zone, variables["food"])),
        places=(variables["cat"], *(cell for cells in mice for cell in _fill(cells, stage.max_mice))),
        notes={cell: _weight(amount) for cell, amount in enumerate(variables["food"]) if amount},
        looks={CAT_UNIT: "asleep"} if state.current_player == MICE else {},
        glyphs={cell: food_of(amount) for cell, amount in enumerate(variables["food"]) if amount},
        log=[_tell(event, stage) for event in state.events()],
    )


def acts(before: Any, move: Any, after: Any) -> list[Act]:  # noqa: ARG001
    """Return the acts for the events of a move: steps, jumps, and mice put, captured, spared or gone. [section 9]"""
    stage = _stage(before)
    mice = _mice(before.to_dict())
    number = {cell: 1 + group * stage.max_mice + n for group, cells in enumerate(mice) for n, cell in enumerate(cells)}
    events = after.events()
    kinds = [event["event"] for event in events]
    outcome = MET if "enter" in kinds else ATE if "eat" in kinds else DONE
    drawn = []
    for event in events:
        kind, cell = event["event"], event.get("cell", -1)
        if kind == "put":
            drawn.append(Act(-1, PUT, cell, outcome))
        elif kind == "jump":
            drawn.append(Act(number[event["from"]], JUMP if event["over"] else GO, event["to"], outcome))
        elif kind == "cat":
            drawn.append(Act(CAT_UNIT, GO, cell, DONE))
        elif kind == "capture" and "cat" not in kinds:
            drawn.append(Act(CAT_UNIT, CAPTURE, cell, DONE))
        elif kind == "spare":
            drawn.append(Act(CAT_UNIT, SPARE, cell, DONE))
        elif kind == "leave" and "spare" not in kinds:
            drawn.append(Act(number[cell], LEAVE, cell, DONE))
    return drawn


def _stage(state: Any) -> Stage:
    """Return the stage of a state of the engine or of the reference."""
    config = state.game.config if hasattr(state, "game") else state.config
    stage: Stage = config.start_stage
    return stage


def _mice(variables: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Return the cells of the mice that have not moved, and of those that have."""
    cells = [(cell, flag) for cell, flag in enumerate(variables["mouse"]) if flag]
    return [cell for cell, flag in cells if flag == UNMOVED], [cell for cell, flag in cells if flag != UNMOVED]


def _fill(cells: Sequence[int], count: int) -> list[int]:
    """Return the cells, padded to `count` with -1 for each mouse that is not on the board."""
    return [*cells, *[-1] * (count - len(cells))]


def _mark(wall: int, zone: int, food: int) -> str:
    if wall:
        return WALL
    if zone:
        return ZONE_FOOD if food else ZONE
    return FOOD if food else FLOOR


def _weight(amount: int) -> str:
    """Return an amount in the largest unit that keeps it whole; mg are written without a unit. [NZ-R24]"""
    unit, size = next((unit, size) for unit, size in reversed(UNITS.items()) if amount % size == 0)
    return str(amount) if unit == "mg" else f"{amount // size}{unit}"


def _caption(state: Any, stage: Stage, variables: dict[str, Any]) -> str:
    """Return the turn, phase and counts, or at the end the winner and the reason. [section 8]"""
    on_board = sum(map(bool, variables["mouse"]))
    reserve = stage.max_mice - on_board - variables["captured"]
    counts = say(
        "food {food}, cost {cost}, captured {captured} of {require}, 1 mouse and {reserve} in reserve"
        if on_board == 1
        else "food {food}, cost {cost}, captured {captured} of {require}, {mice} mice and {reserve} in reserve",
        food=variables["food_sum"],
        cost=variables["cost_sum"],
        captured=variables["captured"],
        require=stage.require,
        mice=on_board,
        reserve=reserve,
    )
    if state.is_terminal():
        won = PLAYERS[int(state.returns()[1] > 0)]
        why = ("", "surround", "captures", "turn limit")[variables["result"]]
        end = "end in turn {turn}: cat wins, {why}" if won == "cat" else "end in turn {turn}: mice win, {why}"
        return f"{say(end, turn=variables['t'], why=_(why))}; {counts}"
    phase = variables["phase"]
    player = _(PLAYERS[state.current_player])
    if variables["t"] == 0:
        when = say("placement, {player} to move", player=player)
    else:
        when = say("turn {turn} of {turns}, {player} to move", turn=variables["t"], turns=stage.turns, player=player)
    doing = "" if phase == PLACE else f" ({_(PHASES[phase])})"
    return f"{when}{doing}; {counts}"


def _tell(event: dict[str, Any], stage: Stage) -> str:
    """Return an event in words; cells as row,column, as in action texts. [section 9]"""

    def cell(key: str) -> str:
        row, column = divmod(event[key], stage.width)
        return f"{row},{column}"

    kind = event["event"]
    if kind == "jump":
        template = "mouse {start} goes to {cell} over {over}" if event["over"] else "mouse {start} goes to {cell}"
        return say(template, start=cell("from"), cell=cell("to"), over=event["over"])
    if kind == "charge":
        return say("the turn costs {mg} mg", mg=event["mg"])
    if kind == "end":
        return say("the end: {result}", result=_(event["result"]))
    words = {
        "put": "a mouse comes in on {cell}",
        "eat": "it eats {mg} mg on {cell}",
        "enter": "the cat may capture on {cell}",
        "capture": "the cat captures on {cell}",
        "spare": "the cat spares the mouse on {cell}",
        "leave": "the mouse on {cell} leaves the stage",
        "cat": "the cat goes to {cell}",
    }
    return say(words[kind], cell=cell("cell"), mg=event.get("mg"))
