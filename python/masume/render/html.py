"""Pages that play games: one HTML file that needs nothing else, with what was recorded packed into it.

The frames of a game are stored as differences: which cells and units changed, what was tried, the scores. The
drawing and the controls are in page.js, the looks in page.css and board.css.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from itertools import pairwise
from string import Template
from typing import Any, Protocol

from . import canvas
from .svg import style

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The content security policy of every page: it loads nothing, and what is in it may not either."""
NEAR = 6  # cells that are no longer to write than another run is


class Recorded(Protocol):
    """A game to show; every `masume.records.replay.Replay` is one.

    names : of the players. seed : of the game. moves : those that led from each state to the next.
    `states()` gives the first position and the one after each move, each an object of its own.
    """

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def seed(self) -> int: ...
    @property
    def moves(self) -> Sequence[Any]: ...
    def states(self) -> Iterable[Any]: ...


def page(
    replays: Iterable[Recorded],
    *,
    title: str,
    summary: Sequence[Mapping[str, object]] | None = None,
    throughput: Sequence[tuple[float, float]] = (),
) -> str:
    """One self-contained HTML document that plays the games, in the order given.

    title : the heading. summary : rows of a table below the games, each with the same keys, which head the columns.
    throughput : (seconds since the start, games a second since the entry before) of the run, drawn as a chart.

    There may be no games at all, or games without a move. Raises whatever the replays' `states()` raise, and
    ValueError where the rows of `summary` differ in their keys.
    """
    data = {
        "canvas": {
            "cell": canvas.CELL,
            "margin": canvas.MARGIN,
            "edge": canvas.EDGE,
            "pitch": canvas.PITCH,
            "square": canvas.SQUARE,
            "hexagon": canvas.HEXAGON,
            "glyphs": canvas.GLYPHS,
        },
        "games": [_pack(replay) for replay in replays],
        "throughput": [[round(seconds, 3), round(rate, 3)] for seconds, rate in throughput],
    }
    return Template(_file("page.html")).substitute(
        policy=POLICY,
        title=escape(title),
        style=style() + _file("page.css"),
        link='<p><a href="#summary">Summary of the run</a></p>\n' if summary or throughput else "",
        summary=table(summary or ()),
        data=_embed(data),
        script=_file("page.js"),
    )


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")


def _embed(data: object) -> str:
    """JSON that cannot end the script element it stands in: pure ASCII, and no <."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def table(rows: Sequence[Mapping[str, object]]) -> str:
    if not rows:
        return ""
    columns = list(rows[0])
    for row in rows:
        if list(row) != columns:
            raise ValueError(f"summary: the rows have different keys, {columns} and {list(row)}")
    head = "".join(f'<th scope="col"{_kind(rows[0][column])}>{escape(str(column))}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(_item(row[column]) for column in columns)}</tr>" for row in rows)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _kind(value: object) -> str:
    return ' class="number"' if isinstance(value, int | float) else ""


def _item(value: object) -> str:
    if isinstance(value, float) and abs(value) >= 100:
        value = round(value)
    shown = f"{value:,}" if isinstance(value, int | float) else escape(str(value))
    return f"<td{_kind(value)}>{shown}</td>"


def _pack(replay: Recorded) -> dict[str, Any]:
    """A game as page.js unpacks it: scene and frames, then for each player's view what is not as in those."""
    states = list(replay.states())
    drawing = canvas.drawing_of(states[0])
    scene = drawing.scene(states[0])
    packed = _film(drawing, replay.moves, states, {})
    for player in range(len(scene.players)) if scene.hides else ():
        view = _film(drawing, replay.moves, states, {"player": player})
        for frame, whole in zip(view["frames"], packed["frames"], strict=True):
            if frame["caption"] == whole["caption"]:
                del frame["caption"]
            told = whole.get("log", [])  # of which a player hears some lines: their numbers
            if "log" in frame:
                frame["log"] = [told.index(line) if line in told else line for line in frame["log"]]
        packed.setdefault("views", []).append({key: item for key, item in view.items() if item != packed[key]})
    return packed | {"seed": str(replay.seed), "names": list(replay.names)}  # a seed has more bits than a number of JS


def _film(drawing: Any, moves: Sequence[Any], states: Sequence[Any], view: dict[str, int]) -> dict[str, Any]:
    """The scene, then for each frame what is not as in the frame before; all but captions may be left out."""
    scene, frame = drawing.scene(states[0], **view), drawing.frame(states[0], **view)
    ground = scene.tiles[0].mark if scene.tiles else ""
    empty = canvas.Frame("", (), ground * len(frame.cells), [-1] * len(scene.units))
    frames = [_difference(empty, frame)]
    for move, (before, after) in zip(moves, pairwise(states), strict=True):
        last, frame = frame, drawing.frame(after, **view)
        acts = [item for act in drawing.acts(before, move, after, **view) for item in _act(act)]
        frames.append(_difference(last, frame) | ({"acts": acts} if acts else {}))
    return {
        "title": scene.title,
        "width": scene.width,
        "height": scene.height,
        "hexes": [item for pair in scene.hexes for item in pair],
        "columns": list(scene.columns),
        "rows": list(scene.rows),
        "players": list(scene.players),
        "scores": list(scene.score_names),
        "tiles": [dataclasses.astuple(tile) for tile in scene.tiles],
        "values": list(scene.values),
        "units": [dataclasses.astuple(unit) for unit in scene.units],
        "verbs": [dataclasses.astuple(verb) for verb in scene.verbs],
        "outcomes": [dataclasses.astuple(outcome) for outcome in scene.outcomes],
        "frames": frames,
    }


def _act(act: canvas.Act) -> tuple[Any, ...]:
    """Its four parts; with cells on the way the target is the last of a list."""
    return act.unit, act.verb, [*act.via, act.target] if act.via else act.target, act.outcome


def _difference(last: canvas.Frame, frame: canvas.Frame) -> dict[str, Any]:
    moved = [[unit, to] for unit, (was, to) in enumerate(zip(last.places, frame.places, strict=True)) if was != to]
    noted = {cell: note for cell, note in frame.notes.items() if last.notes.get(cell) != note}
    noted |= dict.fromkeys(last.notes.keys() - frame.notes.keys(), "")
    packed = {
        "scores": [list(scores) for scores in frame.scores] if frame.scores != last.scores else [],
        "cells": _runs(last.cells, frame.cells),
        "places": [item for pair in moved for item in pair],
        "notes": [item for pair in sorted(noted.items()) for item in pair],
        "log": list(frame.log),
        "text": frame.text,
    }
    faint = {} if set(frame.faint) == set(last.faint) else {"faint": sorted(frame.faint)}  # an empty one says so
    return {"caption": frame.caption} | faint | {key: item for key, item in packed.items() if item}


def _runs(last: str, cells: str) -> list[int | str]:
    """What changed: the first cell of a run and its marks, then the next run; what lies between two is longer."""
    changed = [cell for cell, (was, mark) in enumerate(zip(last, cells, strict=True)) if was != mark]
    runs: list[list[int]] = []
    for cell in changed:
        if runs and cell - runs[-1][1] <= NEAR:
            runs[-1][1] = cell
        else:
            runs.append([cell, cell])
    return [item for first, end in runs for item in (first, cells[first : end + 1])]
