"""Draw a whole game as one SVG that moves: CSS animation, no script, so that it runs as the picture of a README.

The parts of all positions are drawn by masume.render. A part that several positions share is written once, with the
time that it is visible; units glide from cell to cell. The last position is shown if the
reader prefers reduced motion (prefers-reduced-motion) or animation is not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from masume.render import canvas
from masume.render.drawing import drawing_of
from masume.render.svg import LETTER, LINE, MINUS, WORDS, board, style, units

PERIOD_S = 0.6  # of one position
REST = 5  # periods that the last one lasts
GLIDE = 0.5  # of a period, while units move

Part = tuple[str, str]  # how it is written, with {} for the texts of several, and its own text


def draw_moving(states: Sequence[Any]) -> str:
    """Return the SVG document of a game's positions."""
    drawing = drawing_of(states[0])
    scene, frames = drawing.scene(states[0]), [drawing.frame(state) for state in states]
    grid = canvas.Grid(scene)
    width = max(grid.size[0], LETTER * WORDS)
    top = LINE + canvas.EDGE
    bottom = top + grid.size[1]
    height = bottom + LINE * len(scene.players) + canvas.EDGE
    clock = _Clock(len(frames))
    tiles = _draw_parts([list(_split_board(board(scene, grid, frame))) for frame in frames], clock)
    pieces = _draw_units([_split_units(units(scene, grid, frame), frame.places) for frame in frames], clock)
    words = _draw_parts([list(_draw_words(scene, frame, bottom)) for frame in frames], clock)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="masume" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}"><title>{escape(scene.title)}, a game move for move</title>'
        f"<style>{style()}{clock.style()}</style>"
        f'<rect class="paper" width="{width}" height="{height}"/>'
        f'<g transform="translate({(width - grid.size[0]) // 2} {top})"><g class="board">{tiles}</g>'
        f'<g class="units">{pieces}</g></g><g class="scores">{words}</g></svg>\n'
    )


class _Clock:
    """The animations of a picture: each a name, and keyframes that several parts may share."""

    def __init__(self, num_frames: int) -> None:
        self.num_frames = num_frames
        self._periods = num_frames + REST
        self._names: dict[str, str] = {}

    def show(self, visible: Sequence[bool]) -> str:
        """Return the attributes of a part that is visible in these positions."""
        if all(visible):
            return ""
        keys = [(0, visible[0])] + [(at, on) for at, (was, on) in enumerate(pairwise(visible), 1) if was != on]
        frames = "".join(f"{self._percent(at)}{{visibility:{_visibility(on)}}}" for at, on in keys)
        return f' class="t {self._name(frames)}"' + ("" if visible[-1] else ' visibility="hidden"')

    def move(self, places: Sequence[str]) -> str:
        """Return the attributes of a part that is moved by these transforms, and then glides to the next."""
        frames = f"{self._percent(0)}{{transform:{places[0]}}}"
        for at, (was, to) in enumerate(pairwise(places), 1):
            if was != to:
                frames += f"{self._percent(at - GLIDE)}{{transform:{was}}}{self._percent(at)}{{transform:{to}}}"
        return f' class="g {self._name(frames + f"to{{transform:{places[-1]}}}")}" style="transform:{places[-1]}"'

    def style(self) -> str:
        """Return the style sheet of all of them."""
        seconds = self._periods * PERIOD_S
        rules = "".join(
            f"@keyframes {name}{{{frames}}}.{name}{{animation-name:{name}}}" for frames, name in self._names.items()
        )
        return (
            f".t,.g{{animation-duration:{seconds:g}s;animation-iteration-count:infinite}}"
            ".t{animation-timing-function:step-end}.g{animation-timing-function:ease-in-out}"
            f"{rules}@media(prefers-reduced-motion:reduce){{.t,.g{{animation:none}}}}"
        )

    def _name(self, frames: str) -> str:
        return self._names.setdefault(frames, f"k{len(self._names)}")

    def _percent(self, period: float) -> str:
        return f"{100 * period / self._periods:.5g}%"


def _visibility(on: bool) -> str:
    return "visible" if on else "hidden"


def _split_board(text: str) -> Iterator[Part]:
    """Cut the inside of a board into the parts of single cells."""
    for found in re.finditer(r'<path class="([^"]*)" d="([^"]*)"/>|(<g[^>]*>)(.*?)</g>', text):
        kind, cells, group, lines = found.groups()
        if group:
            for line in re.findall(r"<text.*?</text>", lines):
                yield f"{group}{{}}</g>", line
        else:
            for cell in re.findall("M[^M]*", cells):
                yield f'<path class="{kind}" d="{{}}"/>', cell


def _draw_parts(frames: Sequence[Sequence[Part]], clock: _Clock) -> str:
    """Write each part once, those together that are visible at the same times and written the same way."""
    order: list[str] = []
    visible: dict[Part, list[bool]] = {}
    for at, parts in enumerate(frames):
        last = -1
        for part in parts:
            if part[0] not in order:
                order.insert(last + 1, part[0])
            last = order.index(part[0])
            visible.setdefault(part, [False] * len(frames))[at] = True
    groups: dict[tuple[int, str], list[str]] = {}
    for (way, text), times in visible.items():
        groups.setdefault((order.index(way), clock.show(times)), []).append(text)
    drawn = []
    for (way, animation), texts in sorted(groups.items(), key=lambda item: item[0][0]):
        written = order[way].format("".join(texts))
        drawn.append(f"<g{animation}>{written}</g>" if animation else written)
    return "".join(drawn)


def _split_units(text: str, places: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Return the class, the transform and the inside of each unit on the board."""
    found = re.findall(r'<g class="([^"]*)" transform="translate\((\S+) (\S+)\)(?: scale\((\S+)\))?">(.*?)</g>', text)
    there = [unit for unit, cell in enumerate(places) if cell >= 0]
    return {
        unit: (kind, f"translate({x}px,{y}px) scale({scale or 1})", inside)
        for unit, (kind, x, y, scale, inside) in zip(there, found, strict=True)
    }


def _draw_units(frames: Sequence[dict[int, tuple[str, str, str]]], clock: _Clock) -> str:
    """Write each unit once, with its ways; what is not on the board waits where it comes next, or where it was."""
    drawn = []
    for unit in sorted({unit for frame in frames for unit in frame}):
        seen = [frame.get(unit) for frame in frames]
        kind, place, inside = next(one for one in reversed(seen) if one)
        ways = []
        for one in reversed(seen):
            place = one[1] if one else place
            ways.append(place)
        moving = f'<g{clock.move(ways[::-1])}><g class="{kind}">{inside}</g></g>'
        drawn.append(f"<g{clock.show([one is not None for one in seen])}>{moving}</g>")
    return "".join(drawn)


def _draw_words(scene: canvas.Scene, frame: canvas.Frame, top: int) -> Iterator[Part]:
    """Write the caption, and a line for each player with the score that decides."""
    yield (
        "{}",
        f'<text class="caption" x="{canvas.MARGIN}" y="{LINE}">{escape(f"{scene.title}, {frame.caption}")}</text>',
    )
    for player, (who, scores) in enumerate(zip(scene.players, frame.scores, strict=True)):
        y = top + canvas.EDGE + LINE * player
        mark = f'd="M0 0{canvas.SQUARE["solid"][player]}" transform="translate({canvas.MARGIN + 8} {y}) scale(.5)"'
        yield "{}", f'<path class="solid p{player}" {mark}/>'
        told = f"{who}: {scene.score_names[0]} {scores[0]}".replace("-", MINUS)
        yield "{}", f'<text x="{canvas.MARGIN + 24}" y="{y + 5}">{escape(told)}</text>'
