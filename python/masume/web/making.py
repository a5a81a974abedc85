"""What the page offers to make and to choose: editors of starts, menus, and jobs that take longer.

Everything that a browser sends is checked here before a game's `editor` module sees it; the text of a file is read by
the parser that the command line uses.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..core import registry
from ..core.language import say, speaking
from ..core.language import translate as _
from ..core.shapes import Choice, Int, Items, Real, read
from ..errors import ConfigError, ConfigTypeError, NotationError
from ..http.limits import Turns
from ..http.openapi import ANY, Operation, ref
from ..play.lessons import lessons_of
from ..play.menu import Card, menu_of
from ..render.drawing import drawing_of
from ..render.pack import empty_frame, pack_frame, pack_scene, pack_shapes
from ..render.sheet import SYMMETRIES, Editor, Sheet, blank, missing
from ..starts import named_starts, starts_of
from .films import to_bytes
from .jobs import Jobs
from .offers import game_of, offer, title_of
from .requests import bad_input, find_game, read_body, to_json, viewer_of

MAX_KINDS = 26
MAX_KIND = 32  # letters of a name
MAX_TEXT = 32_000  # letters of a file
CHECKS, MAX_CHECKS = 2, 64  # starts that are checked at the same time; that are checked or wait
CHECK_S = 2.0  # until somebody whose start could not be checked tries again


class Making:
    """The requests of editors and menus.

    Parameters
    ----------
    jobs : Jobs
        Where tasks run.
    """

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self._turns = Turns(CHECKS, MAX_CHECKS, CHECK_S)

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        return [
            Operation("GET", "/api/menu/{game}", self._menu, "List what there is to play", ref("Menu")),
            Operation("GET", "/api/make/{game}", self._desk, "Get an editor", ANY),
            Operation("POST", "/api/make/{game}/open", self._open, "Get a sheet", ref("Sheet"), ref("Open")),
            Operation("POST", "/api/make/{game}/check", self._check, "Check a sheet", ref("Checked"), ref("Check")),
            Operation("POST", "/api/make/{game}/job", self._begin, "Begin a task", ref("Id"), ref("NewJob")),
            Operation("GET", "/api/job/{id}", self._job, "Look at a task", ref("Job")),
            Operation("POST", "/api/job/{id}/cancel", self._cancel, "End a task", ref("Nothing")),
        ]

    async def _menu(self, request: Request) -> Response:
        name = find_game(request)
        day = datetime.now(UTC).date()
        data = await asyncio.to_thread(menu_bytes, name, day, viewer_of(request).language)
        return Response(data, media_type="application/json")

    async def _desk(self, request: Request) -> Response:
        return to_json(desk_of(find_game(request)))

    async def _open(self, request: Request) -> Response:
        """Return a sheet: of the text of a file, of a shipped start, or empty."""
        name, body = find_game(request), await read_body(request)
        with bad_input():
            return to_json(await self._aside(request, _opened, name, body))

    async def _check(self, request: Request) -> Response:
        name, body = find_game(request), await read_body(request)
        with bad_input():
            sheet = sheet_of(editor_of(name), body.get("sheet"))
            return to_json(await self._aside(request, checked, name, sheet))

    async def _begin(self, request: Request) -> Response:
        """Begin a task on a valid start."""
        name, body = find_game(request), await read_body(request)
        with bad_input():
            editor = editor_of(name)
            tasks = getattr(editor, "TASKS", ())
            task = read("task", body.get("task"), Int(0, len(tasks) - 1))
            sheet = sheet_of(editor, body.get("sheet"))
            result = await self._aside(request, checked, name, sheet)
            if not result["valid"]:
                raise ConfigError(result["error"])
            values = {"game": name, "level": offer(name)["level"], "file": f"start{editor.DESK.suffix}"}
            arguments = [argument.format(**values) for argument in tasks[task].arguments]
            language = viewer_of(request).language
            job = self.jobs.start(viewer_of(request).share, arguments, values["file"], result["text"], language)
            return to_json({"id": job})

    async def _job(self, request: Request) -> Response:
        return to_json(self.jobs.find(request.path_params["id"]).facts())

    async def _cancel(self, request: Request) -> Response:
        self.jobs.find(request.path_params["id"]).cancel()
        return to_json({})

    async def _aside(self, request: Request, function: Any, *arguments: Any) -> Any:
        """Run a function in another thread, a few at a time."""
        async with self._turns.turn(viewer_of(request).share):
            return await asyncio.to_thread(function, *arguments)


# -- editors -------------------------------------------------------------------------------------------


def editor_of(name: str) -> Any:
    """Return the module `editor` of a game."""
    found = registry.part_of(registry.package_of(name), "editor")
    if found is None:
        raise HTTPException(404, _("this game has no editor"))
    return found


def desk_of(name: str) -> dict[str, Any]:
    """Return what the editor of a game offers, as plain JSON types, in the chosen language."""
    editor = editor_of(name)
    desk: Editor = editor.DESK
    return {
        "game": name,
        "title": _(title_of(name)),
        "suffix": desk.suffix,
        "sizes": desk.sizes,
        "brushes": [dataclasses.astuple(dataclasses.replace(brush, name=_(brush.name))) for brush in desk.brushes],
        "fields": [
            {
                "key": field.key, "name": _(field.name), "low": field.low, "high": field.high,
                "whole": not isinstance(field.value, float),
            }
            for field in desk.fields
        ],
        "numbers": desk.numbers,
        "kinds": desk.kinds and desk.kinds._replace(name=_(desk.kinds.name))._asdict(),
        "symmetries": [[key, _(word)] for key, word in SYMMETRIES[len(desk.sizes)].items()],
        "symmetry": desk.symmetry,
        "letters": desk.letters,
        "shapes": pack_shapes(desk.shapes),
        "starts": list(named_starts(starts_of(name))),
        "tasks": [_(task.name) for task in getattr(editor, "TASKS", ())],
    }  # fmt: skip


def _size(desk: Editor, value: Any) -> tuple[int, ...]:
    return tuple(read("size", value, tuple(Int(*limits) for limits in desk.sizes)))


def _field(field: Any, value: Any) -> float | str:
    """Return the value of a field, checked."""
    if field.low is None:
        if not isinstance(value, str) or len(value) > field.high or not value.isprintable():
            raise ConfigError(f"{field.key}: expected a line of at most {field.high} letters, got {value!r:.80}")
        return value.strip()
    read(field.key, value, (Real if isinstance(field.value, float) else Int)(field.low, field.high))
    return value  # type: ignore[no-any-return]


def sheet_of(editor: Any, value: Any) -> Sheet:
    """Return the Sheet that a browser has sent.

    Raises ConfigError or ConfigTypeError for what this editor cannot make; the message names the part.
    """
    desk: Editor = editor.DESK
    if not isinstance(value, Mapping):
        raise ConfigTypeError(f"sheet: expected an object, got {value!r:.60}")
    size = _size(desk, value.get("size"))
    kinds = _kinds(desk, value.get("kinds", []))
    marks = {brush.mark for brush in desk.brushes} | {letter for letter, _name, _number in kinds}
    mark = Choice(*sorted(marks)) if desk.numbers is None else Int(*desk.numbers)
    cells = list(read("cells", value.get("cells"), Items(mark, _count(editor, size))))
    for brush in desk.brushes:
        if brush.cycle and cells.count(brush.mark) > 1:
            raise ConfigError(f"cells: expected {brush.mark!r} once, got {cells.count(brush.mark)}")
    fields = value.get("fields", {})
    if not isinstance(fields, Mapping):
        raise ConfigTypeError("fields: expected an object")
    values = {field.key: _field(field, fields.get(field.key, field.value)) for field in desk.fields}
    return Sheet(size, cells, values, kinds)


def _kinds(desk: Editor, value: Any) -> list[tuple[str, str, int]]:
    """Return the brushes that people have defined, checked."""
    if not isinstance(value, list) or len(value) > (MAX_KINDS if desk.kinds else 0):
        raise ConfigError(f"kinds: expected a list of at most {MAX_KINDS if desk.kinds else 0}")
    if desk.kinds is None:
        return []
    kinds = read("kinds", value, [(Choice(*desk.kinds.letters), _word_of, Int(desk.kinds.low, desk.kinds.high))])
    letters = [kind[0] for kind in kinds]
    for letter in letters:
        if letters.count(letter) > 1:
            raise ConfigError(f"kinds: {letter}: given twice")
    return list(map(tuple, kinds))


def _word_of(name: str, value: Any) -> str:
    """Return the name of a brush that people have defined."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_KIND or not value.isprintable() or " " in value:
        raise ConfigError(f"{name}: expected a word of at most {MAX_KIND} letters, got {value!r:.60}")
    return value


def _spots(editor: Any, size: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the (x, y) of each cell of a board of hexagons; of squares, nothing: they are row by row."""
    return list(editor.spots(size)) if len(size) == 1 else []


def _count(editor: Any, size: tuple[int, ...]) -> int:
    return math.prod(size) if len(size) > 1 else len(_spots(editor, size))


def _shown(editor: Any, sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as plain JSON types, with the places of its cells."""
    return {
        "size": sheet.size,
        "cells": list(sheet.cells),
        "spots": _spots(editor, sheet.size),
        "fields": dict(sheet.fields),
        "kinds": [list(kind) for kind in sheet.kinds],
    }


def _opened(name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    editor = editor_of(name)
    desk: Editor = editor.DESK
    text, start = body.get("text"), body.get("start")
    if text is not None:
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise ConfigError(f"text: expected at most {MAX_TEXT} letters")
        sheet = editor.sheet_of(editor.parse(text))
    elif start is not None:
        shipped = named_starts(starts_of(name))
        if not isinstance(start, str) or start not in shipped:
            raise ConfigError(f"start: expected one of {', '.join(shipped)}, got {start!r:.60}")
        sheet = editor.sheet_of(shipped[start])
    else:
        size = _size(desk, body.get("size", list(desk.size)))
        sheet = blank(desk, size, _count(editor, size))
    return _shown(editor, sheet)


def checked(name: str, sheet: Sheet) -> dict[str, Any]:
    """Return what is to be said of a sheet: whether its file is valid, what is odd about it, its numbers, the file."""
    editor = editor_of(name)
    lacking = missing(editor.DESK, sheet)
    try:
        text = editor.write(sheet)
    except ConfigError as error:
        return {"valid": False, "error": str(error), "cells": [], "text": ""}
    try:
        start = editor.parse(text)
        game = game_of(name, "", "", text)
        game.new_state(0)
    except (ConfigError, NotationError) as error:
        reason, cells = editor.explain(sheet, error) if hasattr(editor, "explain") else (str(error), [])
        if lacking:
            reason, cells = say("Still missing: {names}.", names=", ".join(lacking)), []
        return {"valid": False, "error": reason, "cells": cells, "text": text}
    starts: Any = registry.package_of(name).starts
    facts = starts.facts("", start)
    shown = {"name", "width", "height", "radius", *sheet.fields}  # these have fields of their own on the page
    return {
        "valid": True,
        "text": text,
        "players": game.num_players,
        "findings": [{"text": finding.text, "cells": list(finding.cells)} for finding in editor.findings(start)],
        "facts": [[_(key.replace("_", " ")), _word(value)] for key, value in facts.items() if key not in shown],
    }


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return f"{value:,}" if isinstance(value, int | float) else str(value)


# -- menus ---------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def menu_bytes(name: str, day: date, language: str) -> bytes:
    """Return what there is to play in a game, with a picture of each, as JSON."""
    with speaking(language):
        shelves = [
            {"name": shelf.name, "cards": [_card(name, card) for card in shelf.cards]} for shelf in menu_of(name, day)
        ]
        taught = list_lessons(name)
        data = {"game": name, "title": _(title_of(name)), "shelves": shelves, "makes": False, "lessons": taught}
        with contextlib.suppress(HTTPException):
            data["makes"] = editor_of(name) is not None
        return to_bytes(data | {field: offer(name)[field] for field in ("levels", "level", "called", "seats", "about")})


def list_lessons(name: str) -> list[dict[str, Any]]:
    """Return what is said of the lessons of a game before they begin."""
    return [
        {"name": lesson.name, "title": _(lesson.title), "text": _(lesson.text), "par": lesson.par}
        for lesson in lessons_of(name)
    ]


def _card(name: str, card: Card) -> dict[str, Any]:
    """Return a card with the picture of its first position, or of the one that the game chooses."""
    game = game_of(name, card.start, card.variant)
    part: Any = registry.part_of(registry.package_of(name), "people")
    state = part.picture(game) if hasattr(part, "picture") else game.new_state(0)
    drawing = drawing_of(state)
    scene, frame = drawing.scene(state), drawing.frame(state)
    packed = pack_frame(empty_frame(scene, frame), frame) | {"whole": True, "n": 0, "turn": 0}
    return {
        "name": card.name, "start": card.start, "variant": card.variant, "text": card.text, "note": card.note,
        "side": card.side, "players": game.num_players, "scene": pack_scene(scene), "frame": packed,
    }  # fmt: skip
