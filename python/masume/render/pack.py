"""Scenes and frames as plain JSON types: what draw.js unpacks, in reports and on the live page.

A frame is packed as its differences from the one before; a whole frame, as its differences from an empty board.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..core.language import translate as _
from . import canvas

MAPS = ("notes", "looks", "pips", "glyphs")  # of a frame
SHARED = ("CELL", "MARGIN", "EDGE", "PITCH", "SQUARE", "HEXAGON", "GLYPHS", "BRICKS", "SMALL", "LIFT", "PIPS")
"""Names in `canvas` of what draw.js draws with."""
NEAR = 6  # unchanged cells in a row that take no more room than the start of another run


def constants() -> dict[str, Any]:
    """Return the sizes and shapes of `canvas` that draw.js draws with."""
    return {name.lower(): getattr(canvas, name) for name in SHARED}


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
        "shapes": pack_shapes(scene.shapes),
    }


def pack_shapes(shapes: Mapping[str, canvas.Shape]) -> dict[str, Any]:
    """Return the name, translated, the letter and the paths of each shape."""
    return {name: (_(shape.name), shape.letter, list(shape.paths)) for name, shape in shapes.items()}


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
    packed = {
        "scores": [list(scores) for scores in frame.scores] if frame.scores != last.scores else [],
        "cells": _runs(last.cells, frame.cells),
        "places": _changes(dict(enumerate(last.places)), dict(enumerate(frame.places))),
        **{key: _changes(getattr(last, key), getattr(frame, key)) for key in MAPS},
        "log": list(frame.log),
        "text": frame.text,
    }
    faint = {} if set(frame.faint) == set(last.faint) else {"faint": sorted(frame.faint)}  # an empty list counts
    return {"caption": frame.caption} | faint | {key: item for key, item in packed.items() if item}


def _changes(last: Mapping[int, Any], now: Mapping[int, Any]) -> list[Any]:
    """Return each key whose value has changed, and its value, one after the other; an empty text for none."""
    keys = sorted(key for key in last.keys() | now.keys() if last.get(key) != now.get(key))
    return [item for key in keys for item in (key, now.get(key, ""))]


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
