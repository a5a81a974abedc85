"""Scenes and frames as plain JSON types: what draw.js unpacks, in reports and on the live page.

A frame is packed as its differences from the one before; a whole frame, as its differences from an empty board.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..core.language import translate as _
from . import canvas

NEAR = 6  # unchanged cells in a row that take no more room than the start of another run


def constants() -> dict[str, Any]:
    """Return the sizes and shapes of `canvas` that draw.js draws with."""
    return {
        "cell": canvas.CELL,
        "margin": canvas.MARGIN,
        "edge": canvas.EDGE,
        "pitch": canvas.PITCH,
        "square": canvas.SQUARE,
        "hexagon": canvas.HEXAGON,
        "glyphs": canvas.GLYPHS,
    }


def pack_scene(scene: canvas.Scene) -> dict[str, Any]:
    """Return a scene; the names in it are translated."""
    return {
        "title": scene.title,
        "width": scene.width,
        "height": scene.height,
        "hexes": [item for pair in scene.hexes for item in pair],
        "columns": list(scene.columns),
        "rows": list(scene.rows),
        "players": list(scene.players),
        "scores": list(map(_, scene.score_names)),
        "tiles": [dataclasses.astuple(dataclasses.replace(tile, name=_(tile.name))) for tile in scene.tiles],
        "values": list(scene.values),
        "units": [dataclasses.astuple(unit) for unit in scene.units],
        "verbs": [(_(verb.name), verb.shape) for verb in scene.verbs],
        "outcomes": [(_(outcome.name), outcome.badge) for outcome in scene.outcomes],
    }


def empty_frame(scene: canvas.Scene, like: canvas.Frame) -> canvas.Frame:
    """Return the frame before the first one: a board of the most common tile, without units."""
    ground = scene.tiles[0].mark if scene.tiles else ""
    return canvas.Frame("", (), ground * len(like.cells), [-1] * len(scene.units))


def pack_acts(acts: Any) -> list[Any]:
    """Return four items for each act; with `via` the target is the last item of a list."""
    return [
        item
        for act in acts
        for item in (act.unit, act.verb, [*act.via, act.target] if act.via else act.target, act.outcome)
    ]


def pack_frame(last: canvas.Frame, frame: canvas.Frame) -> dict[str, Any]:
    """Return the differences of a frame from the one before; all but the caption are optional."""
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
    faint = {} if set(frame.faint) == set(last.faint) else {"faint": sorted(frame.faint)}  # an empty list counts
    return {"caption": frame.caption} | faint | {key: item for key, item in packed.items() if item}


def _runs(last: str, cells: str) -> list[int | str]:
    """Return the changes: the first cell of a run and its marks, then the next run; gaps between runs exceed NEAR."""
    changed = [cell for cell, (was, mark) in enumerate(zip(last, cells, strict=True)) if was != mark]
    runs: list[list[int]] = []
    for cell in changed:
        if runs and cell - runs[-1][1] <= NEAR:
            runs[-1][1] = cell
        else:
            runs.append([cell, cell])
    return [item for first, end in runs for item in (first, cells[first : end + 1])]
