"""What Python packs and draws, for the tests of the scripts: views of random games, as JSON on stdout."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import masume
from masume.render import canvas, html
from masume.render.drawing import drawing_of
from masume.render.pack import MAPS, constants
from masume.render.svg import board, tags, units
from masume.web.words import page_words
from random_games import random_game

PLIES = 60


def drawn(states, moves, view):
    """Return the grid, and of each position the frame and what svg.py draws of it."""
    drawing = drawing_of(states[0])
    scene = drawing.scene(states[0], **view)
    frames = [drawing.frame(state, **view) for state in states]
    acts = [[], *(drawing.acts(*around, **view) for around in zip(states, moves, states[1:], strict=False))]
    grid = canvas.Grid(scene) if scene.tiles else None
    return {
        "grid": grid and {
            "spots": grid.spots, "names": grid.names, "centres": grid.centres, "size": grid.size,
            "rows": [[*place, text] for _, place, text in grid.rows],
            "columns": [[*place, text] for _, place, text in grid.columns],
        },
        "frames": [
            {
                "caption": frame.caption, "scores": frame.scores, "cells": frame.cells, "places": frame.places,
                **{name: sorted(getattr(frame, name).items()) for name in MAPS},
                "faint": sorted(frame.faint), "log": frame.log,
                "acts": [[act.unit, act.verb, act.target, act.outcome, act.via] for act in tried],
            }
            for frame, tried in zip(frames, acts, strict=True)
        ],
        "pictures": [
            [part(scene, grid, frame) for part in (board, units, tags)]
            for frame in frames
        ] if grid else [],
    }  # fmt: skip


def twin_of(name):
    """Return a game as html.py packs it, and what Python makes of the whole game and of each view."""
    game = masume.load(name)
    played = random_game(game, ["x"] * game.num_players, 1, plies=PLIES)
    states = list(played.states())
    packed = html._pack(played)
    views = [{}, *({"player": player} for player in range(len(packed.get("views", ()))))]
    return {"packed": packed, "views": [drawn(states, played.moves, view) for view in views]}


if __name__ == "__main__":
    twins = {"canvas": constants(), "words": page_words(), "games": {name: twin_of(name) for name in masume.games()}}
    json.dump(twins, sys.stdout)
