"""Interactive pages of games: one self-contained HTML file with the packed games.

The frames of a game are stored as differences: changed cells and units, acts, scores (pack.py). draw.js draws, page.js
controls; the styles are in page.css and board.css.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from itertools import pairwise
from string import Template
from typing import Any, Protocol

from ..core.language import language, say
from ..core.language import translate as _
from ..results import reason_of, winners
from .drawing import drawing_of
from .pack import constants, empty_frame, pack_acts, pack_frame, pack_scene
from .svg import style

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy of every page: neither the page nor its content may load anything."""
WORDS = (
    "everything", "seed {seed}", "{title}, seed {seed}", "{score} of each player after each move", "Events", "Actions",
    "none", "none yet", "others", "events", "Play", "Pause", "games a second over the run", "Good games",
    "Games of the run", "{player}, move {move}: {cause}: {detail}",
)  # fmt: skip
"""Texts of page.js and draw.js."""


class Recorded(Protocol):
    """A game to show; `masume.records.replay.Replay` implements it.

    names : of the players. seed : of the game. moves : those that led from each state to the next. `states()` yields
    the first position and the one after each move, each a new object. `notes`, if there are any: what players did wrong
    (`masume.records.replay.Blame`). `reason`, if it is known: why the game ended.
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
    tables: Sequence[tuple[str, Sequence[Mapping[str, object]]]] = (),
    charts: Sequence[str] = (),
    throughput: Sequence[tuple[float, float]] = (),
    good: Sequence[Recorded] = (),
    num_games: int | None = None,
) -> str:
    """Return a self-contained HTML document that plays the games, in the given order.

    Parameters
    ----------
    replays : iterable of Replay
        The games; none, or games without a move, are allowed.
    title : str
        The heading.
    summary : sequence of mapping, optional
        Rows of a table below the games, all with the same keys, which head the columns.
    tables : sequence of tuple, optional
        (heading, rows as in `summary`) of tables above the games; those without rows are left out.
    charts : sequence of str, optional
        SVG documents (`masume.render.chart.lines`), shown above the tables.
    throughput : sequence of tuple, optional
        (seconds since the start, games per second since the entry before) of a run, drawn as a chart.
    good : sequence of Replay, optional
        Good games that are not of the run; the page opens in the middle of the first.
    num_games : int, optional
        Number of games there are, if not all are shown.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the rows of `summary` or of a table differ in their keys. Errors of the replays' `states()` pass through.
    """
    games = [_pack(replay) for replay in replays]
    is_part = num_games is not None and num_games > len(games) > 0
    data = {
        "canvas": constants(),
        "words": {word: _(word) for word in WORDS},
        "games": [*(_pack(one) for one in good), *games],
        "good": len(good),
        "shown": say("{shown} of {all} games shown", shown=len(games), all=f"{num_games:,}") if is_part else "",
        "throughput": [[round(seconds, 3), round(rate, 3)] for seconds, rate in throughput],
    }
    return Template(_translate_marked(_file("page.html"))).substitute(
        language=language(),
        policy=POLICY,
        title=escape(title),
        style=style() + _file("page.css"),
        link=f'<p><a href="#summary">{escape(_("Summary of the run"))}</a></p>\n' if summary or throughput else "",
        summary=table(summary or ()),
        tables="".join(f'<section class="above chart">{chart}</section>' for chart in charts)
        + "".join(
            f'<section class="above"><h2>{escape(heading)}</h2>{table(rows)}</section>'
            for heading, rows in tables
            if rows
        ),
        data=_embed(data),
        script=_script(),
    )


def _translate_marked(text: str) -> str:
    """Return the page with each {{text}} in the chosen language."""
    return re.sub(r"\{\{(.+?)\}\}", lambda marked: escape(_(marked[1])), text)


def _script() -> str:
    """Return draw.js and page.js as one script: a page that may load nothing has no modules."""
    drawing, exports, _names = _file("draw.js").partition("\nexport {")
    _head, imports, playing = _file("page.js").partition('} from "./draw.js";\n')
    assert exports
    assert imports
    return f'"use strict";\n{drawing}\n{playing}'


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")


def _embed(data: object) -> str:
    """Return JSON that cannot end the script element around it: pure ASCII, without "<"."""
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
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(_("Table"))}"><table>'
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
    """Return a game as page.js unpacks it: scene and frames, then for each player's view the differences from those."""
    states = list(replay.states())
    drawing = drawing_of(states[0])
    scene = drawing.scene(states[0])
    packed = _film(drawing, replay.moves, states, {})
    for player in range(len(scene.players)) if scene.hides else ():
        view = _film(drawing, replay.moves, states, {"player": player})
        for frame, whole in zip(view["frames"], packed["frames"], strict=True):
            if frame["caption"] == whole["caption"]:
                del frame["caption"]
            facts = whole.get("log", [])  # lines that a player also sees are stored by their number
            if "log" in frame:
                frame["log"] = [facts.index(line) if line in facts else line for line in frame["log"]]
        packed.setdefault("views", []).append({key: item for key, item in view.items() if item != packed[key]})
    notes = [[note.player, note.ply, _(note.cause), note.detail, note.log] for note in getattr(replay, "notes", ())]
    seed = str(replay.seed)  # it may exceed JS's exact integers
    facts = {"seed": seed, "names": list(replay.names), "ended": _result(replay, states[-1])}
    return packed | facts | ({"noted": notes} if notes else {})


def _result(replay: Recorded, last: Any) -> str:
    """Return who won and why; only why if the game was left before its end, "" if its states are only pictures."""
    if not hasattr(last, "is_terminal"):
        return ""
    reason = getattr(replay, "reason", None) or reason_of(last)
    why = "" if reason is None else _(reason).replace("_", " ")
    if not last.is_terminal():
        return why
    won = [replay.names[player] for player in winners(last.returns().tolist())]
    told = say("{names} wins", names=", ".join(won)) if won else _("draw")
    return f"{told}: {why}" if why else told


def _film(drawing: Any, moves: Sequence[Any], states: Sequence[Any], view: dict[str, int]) -> dict[str, Any]:
    """Return the scene, then for each frame the differences from the frame before."""
    scene, frame = drawing.scene(states[0], **view), drawing.frame(states[0], **view)
    frames = [pack_frame(empty_frame(scene, frame), frame)]
    for move, (before, after) in zip(moves, pairwise(states), strict=True):
        last, frame = frame, drawing.frame(after, **view)
        acts = pack_acts(drawing.acts(before, move, after, **view))
        frames.append(pack_frame(last, frame) | ({"acts": acts} if acts else {}))
    return pack_scene(scene) | {"frames": frames}
