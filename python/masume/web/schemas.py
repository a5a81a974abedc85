"""The schemas of what the page takes and sends, for its description; `wire.d.ts` says the same to its scripts."""

from __future__ import annotations

from typing import Any

from ..http.openapi import ANY, FLAG, INTEGER, NUMBER, TEXT, Schema, array, members, or_null
from .rematch import GO, NO, WAYS, YES

LIST: Schema = {"type": "array"}
TEXTS, INTEGERS = array(TEXT), array(INTEGER)
LESSON: Schema = {
    **members(
        {
            "name": TEXT, "title": TEXT, "text": TEXT, "par": INTEGER, "most": INTEGER, "used": INTEGER, "state": TEXT,
            "stars": INTEGER, "number": INTEGER, "all": INTEGER, "next": TEXT,
        }
    ),
    **or_null("object"),
}  # fmt: skip
MATCH: dict[str, Schema] = {
    "id": TEXT, "game": TEXT, "title": TEXT, "players": TEXTS, "names": TEXTS, "phase": TEXT, "mover": INTEGER,
    "deciding": INTEGERS, "plies": or_null("integer"), "left_ms": array(or_null("integer")), "returns": array(NUMBER),
    "winners": INTEGERS, "why": TEXT, "scores": array(LIST), "detail": TEXT, "halted": TEXT,
    "delay_ms": INTEGER, "hides": FLAG, "missing": INTEGERS, "people": INTEGERS, "at": NUMBER, "mine": INTEGERS,
    "lesson": LESSON,
    "here": INTEGERS,
}  # fmt: skip
NEXT: dict[str, Schema] = {
    "number": INTEGER, "board": TEXT, "asked": TEXT, "by": INTEGER, "agreed": INTEGERS, "refused": INTEGERS, "id": TEXT,
}  # fmt: skip
ASIDE: dict[str, Schema] = {"id": TEXT, "game": TEXT, "names": TEXTS}
SEEN = members(
    {
        **MATCH, "noted": array(LIST), "views": LIST, "hosting": FLAG,
        "recipe": {"type": ["object", "null"], "additionalProperties": True},
    },
    {"invitations": ANY, "links": ANY, "away": INTEGERS, "next": {"oneOf": [{"type": "null"}, members(NEXT)]}},
)  # fmt: skip
SHEET: dict[str, Schema] = {"size": INTEGERS, "cells": LIST, "fields": ANY, "kinds": array(LIST)}
ROW = members({"cells": TEXTS, "shape": TEXT, "tile": TEXT, "player": INTEGER})
SECTION = members({"name": TEXT, "rows": array(ROW), "heads": TEXTS})
STEPS = array({"type": "array"})
SCHEMAS: dict[str, Any] = {
    "Nothing": members({}),
    "Id": members({"id": TEXT}),
    "Refusal": members({"error": TEXT, "text": TEXT}),
    "Lobby": members(
        {
            "matches": array(members({**MATCH, "open": FLAG, "worth": NUMBER, "praise": TEXTS})), "all": INTEGER,
            "aside": array(members(ASIDE)), "wall": ANY,
        }
    ),
    "Loop": members({"scene": ANY, "frames": array(ANY)}),
    "Match": {
        "oneOf": [
            members({"match": SEEN, "hidden": TEXT}),
            members({"match": SEEN, "scene": ANY, "view": or_null("integer"), "count": INTEGER, "frame": ANY}),
        ]
    },
    "Offer": members(
        {
            "game": TEXT, "levels": TEXTS, "level": TEXT, "called": ANY, "starts": TEXTS, "variants": TEXTS,
            "titles": ANY, "players": INTEGER, "seats": TEXTS, "sizes": ANY, "clocks": TEXTS, "hides": FLAG,
            "words": ANY,
            "about": TEXT, "help": TEXTS,
        }
    ),
    "Guide": members(
        {
            "about": TEXT, "help": TEXTS, "sections": array(SECTION), "endings": TEXTS,
            "pad": {"type": ["object", "null"], "additionalProperties": True},
        }
    ),
    "Menu": members(
        {
            "game": TEXT, "title": TEXT, "about": TEXT, "seats": TEXTS, "levels": TEXTS, "level": TEXT, "called": ANY,
            "makes": FLAG, "lessons": array(members({"name": TEXT, "title": TEXT, "text": TEXT, "par": INTEGER})),
            "shelves": array(members({"name": TEXT, "cards": array(ANY)})),
        }
    ),
    "Sheet": members({**SHEET, "spots": LIST}),
    "Checked": members({"valid": FLAG, "error": TEXT, "cells": LIST, "text": TEXT}, {"findings": LIST}),
    "Job": members({"state": TEXT, "seconds": INTEGER, "text": TEXT}),
    "Values": members({"values": array(array(NUMBER))}),
    "Drafted": members({"ask": ANY, "frame": ANY}),
    "Acted": ANY,
    "Hint": members({"slots": INTEGERS, "actions": INTEGERS}),
    "NewMatch": members(
        {"game": TEXT, "seats": TEXTS},
        {
            "start": TEXT, "variant": TEXT, "text": TEXT, "clock": TEXT, "name": TEXT, "seed": INTEGER, "ready": FLAG,
            "instead": TEXT,
        },
    ),
    "NewLesson": members({"game": TEXT, "lesson": TEXT}, {"name": TEXT, "instead": TEXT}),
    "Clue": members({"text": TEXT}),
    "NewShow": members({"game": TEXT}),
    "Open": members({}, {"text": TEXT, "start": TEXT, "size": INTEGERS}),
    "Check": members({"sheet": members(SHEET)}),
    "NewJob": members({"sheet": members(SHEET), "task": INTEGER}),
    "Steps": members({"ask": INTEGER, "steps": STEPS}),
    "Play": members({"ask": INTEGER, "nonce": TEXT, "steps": STEPS}),
    "Hinted": members({"ask": INTEGER}),
    "Sit": members({"token": TEXT}, {"name": TEXT}),
    "Name": members({"name": TEXT}),
    "Take": members({"window": TEXT}, {"back": FLAG}),
    "Next": members({"do": {"enum": [*WAYS, YES, NO, GO]}, "number": INTEGER}),
    "Invitation": members({"links": array(members({"link": TEXT, "size": INTEGER, "path": TEXT})), "command": TEXT}),
    "Order": members({"nonce": TEXT, "seen": TEXT, "order": ANY}),
    "Ordered": members({}, {"said": TEXTS, "gone": array(LIST)}),
    "Press": members(
        {"do": {"enum": ["start", "pause", "resume", "pace"]}},
        {"delay_ms": {"type": "integer", "minimum": 0, "maximum": 60_000}},
    ),
}  # fmt: skip
