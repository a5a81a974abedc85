"""The schemas of what the page sends and takes, for its description; `wire.d.ts` says the same to its scripts."""

from __future__ import annotations

from typing import Any

from ..http.openapi import ANY, FLAG, INTEGER, NUMBER, TEXT, Schema, array, members, or_null

TEXTS, INTEGERS = array(TEXT), array(INTEGER)
MATCH: dict[str, Schema] = {
    "id": TEXT, "game": TEXT, "title": TEXT, "players": TEXTS, "names": TEXTS, "phase": TEXT, "mover": INTEGER,
    "deciding": INTEGERS, "plies": or_null("integer"), "left_ms": array(or_null("integer")), "returns": array(NUMBER),
    "winners": INTEGERS, "why": TEXT, "detail": TEXT, "halted": TEXT, "delay_ms": INTEGER, "hides": FLAG,
    "missing": INTEGERS, "people": INTEGERS, "at": NUMBER, "mine": INTEGERS,
}  # fmt: skip
SEEN: dict[str, Schema] = {
    **MATCH, "noted": array(ANY_ITEMS := {"type": "array"}), "views": ANY_ITEMS, "hosting": FLAG,
    "recipe": {"type": ["object", "null"], "additionalProperties": True},
}  # fmt: skip
SEATED: dict[str, Schema] = {"invitations": ANY, "links": ANY, "away": INTEGERS}
SHEET = members({"size": INTEGERS, "cells": TEXTS, "fields": ANY, "kinds": array(ANY_ITEMS)}, {"spots": ANY_ITEMS})
