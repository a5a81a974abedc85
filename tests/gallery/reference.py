"""Positions that consist of their pictures, and boards with everything that can be drawn."""

import dataclasses

from masume.render.canvas import GLYPHS, Act, Frame, Outcome, Scene, Tile, Unit, Verb
from random_games import Recorded


@dataclasses.dataclass
class State:
    """One position: its picture, the acts that led to it, and both again for each player's view."""

    scene: Scene
    frame: Frame
    acts: list = dataclasses.field(default_factory=list)
    views: list = dataclasses.field(default_factory=list)


VERBS = (Verb("wait", "none"), Verb("go", "arrow"), Verb("jump", "arc"), Verb("mark", "ring"), Verb("strike", "cross"))
OUTCOMES = (Outcome("done", ""), Outcome("in vain", "!"))
WAIT, GO, JUMP, MARK, STRIKE = range(5)


def hexagons():
    """Return a game on hexagons for three players: robots as notes, two-line notes, jumps and moves without a unit."""
    cells = [(x, y) for x in range(-2, 3) for y in range(max(-2, -x - 2), min(2, 2 - x) + 1)]
    areas = [Tile(letter, "hatch", player, f"territory of {letter}") for player, letter in enumerate("abcd")]
    bases = [Tile(letter, "solid", player, f"base of {letter}") for player, letter in enumerate("ABCD")]
    scene = Scene(
        title="Hexagons of radius 2",
        players="ABC",
        score_names=("points", "cells"),
        hexes=cells,
        tiles=(
            Tile(".", "plain", -1, "wasteland"),
            *areas,
            *bases,
            Tile("#", "plain", -1, "hole", "hole"),
            Tile("1", "hatch", 1, "hole of B", "hole"),
        ),
        units=(Unit(0, "X"), Unit(-1, "yz")),
        verbs=VERBS,
        outcomes=OUTCOMES,
    )
    start = Frame("start", [(0, 1), (-5, 2), (12345, 3)], "aA.bB.cC#1.dD......")
    middle = dataclasses.replace(
        start,
        caption="robots moved",
        places=(9, -1),
        notes={0: "7", 1: "F\n12", 3: "1234", 4: "P\n9", 6: "123456", 8: "3", 9: "5", 10: "-2"},
        scores=[(4, 1), (-5, 2), (12345, 4)],
        log=["A moves 7 robots to 1,0", "B builds <P> & waits"],
    )
    end = dataclasses.replace(middle, caption="the end", places=(17, 9), notes={1: "F\n2", 9: "5"}, log=[])
    acts = [
        [],
        [Act(-1, GO, 3, 0, (1,)), Act(-1, GO, 5, 1, (4,)), Act(1, WAIT, -1, 0)],
        [Act(0, JUMP, 17, 0, (4, 12)), Act(-1, MARK, 6, 0)],
    ]
    start = dataclasses.replace(start, places=(-1, -1))
    return Recorded(["one", "two", "three"], 1, [0, 0], [
        State(scene, frame, tried) for frame, tried in zip((start, middle, end), acts, strict=True)
    ])  # fmt: skip


def sea():
    """Return a game on squares with letters as labels: every tile and glyph, units that share a cell, and fog."""
    glyphs = [Tile(mark, "water", -1, name, name) for mark, name in zip("ifhrswm", GLYPHS, strict=True)]
    tiles = (
        Tile(".", "water", -1, "sea"),
        *glyphs,
        *(Tile(mark, shape, -1, shape) for mark, shape in zip("#zo ", ("block", "zone", "plain", "void"), strict=True)),
        Tile("?", "unknown", -1, "unknown"),
    )
    scene = Scene(
        title="Sea 6×4",
        players=("P0", "P1"),
        score_names=("ships",),
        width=6,
        height=4,
        columns="ABCDEF",
        rows="1234",
        tiles=tiles,
        units=tuple(Unit(player, f"{name}{player}") for player in (0, 1) for name in ("D", "S", "O", "m", "torp")),
        verbs=VERBS,
        outcomes=OUTCOMES,
        hides=True,
    )
    start = Frame(
        "turn 1", [(5,), (4,)], "ifhrsw.m..o##..z. ......", (0, 8, 8, 8, 8, 20, 21, 21, 16, -1), faint=[1, 6],
        notes={0: "3", 1: "2", 21: "hp 2", 22: "low", 14: "x&y"},
    )  # fmt: skip
    end = dataclasses.replace(
        start, caption="turn 2", places=(0, 8, 8, 8, 8, -1, 21, 22, 16, 3), faint=[], scores=[(5,), (3,)], notes={}
    )
    fogged = "".join(mark if cell % 6 < 3 else "?" for cell, mark in enumerate(start.cells))
    mine = dataclasses.replace(
        start, cells=fogged, scores=[(5,), (None,)], places=(*start.places[:5], *[-1] * 5), notes={}
    )
    later = dataclasses.replace(mine, caption="a hit", cells=start.cells, faint=[2], log=["HIT on C4"])
    nobody = dataclasses.replace(mine, cells="?" * 24, places=(-1,) * 10, scores=[(None,), (4,)], faint=[])
    acts = [Act(5, STRIKE, 0, 0), Act(0, GO, 1, 1), Act(4, JUMP, 13, 1)]
    return Recorded(["one", "two"], 2, [0], [
        State(scene, start, [], [(scene, mine, []), (scene, nobody, [])]),
        State(scene, end, acts, [(scene, later, acts[1:]), (scene, nobody, [])]),
    ])  # fmt: skip
