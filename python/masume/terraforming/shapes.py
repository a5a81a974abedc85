"""What the buildings look like."""

from __future__ import annotations

from ..render.canvas import Shape
from .buildings import BRIDGE, FACTORY, HOME, LETTERS, PARK, PIT, PLAZA, PUBLIC, SHIELD, TOWER, words

_HOUSE = "m-8 9v-8l8-7 8 7v8z"
_PATHS: dict[str, tuple[tuple[str, str], ...]] = {
    "base": (
        ("stroke", "m0-7v-6"),
        ("dark", "m0-13l6 2.5-6 2.5z"),
        ("own", "m-10 10v-9l10-9 10 9v9z"),
        ("paper", "m-3 10v-6.5h6v6.5z"),
    ),
    "factory": (
        ("dark", "m-9 0v-11h5v11z"),
        ("own", "m-12 10v-9l6-4v4l6-4v4l6-4v4h6v9z"),
        ("paper", "m-8 4h3v3h-3zm6 0h3v3h-3zm6 0h3v3h-3z"),
    ),
    "tower": (
        ("own", "m-5.5 11l1.5-13h8l1.5 13z"),
        ("dark", "m-8-10h3.5v2.5h2.5v-2.5h4v2.5h2.5v-2.5h3.5v7h-16z"),
        ("paper", "m-1.5 11v-5h3v5z"),
    ),
    "drill": (
        ("dark", "m-10-11h20v4h-20z"),
        ("own", "m-7-7h14l-7 19z"),
        ("paper", "m-5.5-3.5l9 3.5-1.2 2.5-6-2.5zm2.5 7l4.5 1.7-.8 2.3-2.5-1z"),
    ),
    "bridge": (
        ("own", "m-13 8v-5q13-12 26 0v5h-5q-8-8-16 0z"),
        ("stroke", "m-13-4h26m-26 0v7m26-7v7m-17-7v2.5m8-2.5v2.5"),
    ),
    "park": (
        ("dark", "m-1.6 3h3.2v9h-3.2z"),
        ("green", "m0-12q7 0 7 5q5 1 4 6t-7 5h-8q-6 0-7-5t4-6q0-5 7-5z"),
    ),
    "house": (
        ("own", _HOUSE),
        ("dark", "m-11 2l11-10 11 10-2 2-9-8-9 8z"),
        ("paper", "m-2.5 9v-5h5v5z"),
    ),
    "square": (
        ("light", "m-10-10h20v20h-20z"),
        ("stroke", "m-10-3.5h20m-20 7h20m-13.5-13.5v20m7-20v20"),
        ("blue", "m0-4a4 4 0 1 1 0 8a4 4 0 1 1 0-8z"),
    ),
    "town": (
        ("dark", "m-2 10v-20h8v20z"),
        ("own", "m-12 10v-9l5-5 5 5v9zm18 0v-12h6v12z"),
        ("paper", "m0-7h1m3 0h1m-5 4h1m3 0h1m-5 4h1m3 0h1"),
    ),
    "shield": (
        ("light", "m-12 9q0-18 12-18t12 18z"),
        ("own", "m-4 9v-7l4-3 4 3v7z"),
        ("stroke", "m-13 9h26m-18-13q1.5-2.5 4-3"),
    ),
    "public hall": (
        ("dark", "m-12-3l12-9 12 9z"),
        ("paper", "m-9-1.5h18v8h-18z"),
        ("own", "m-9.5-1.5h3.5v8h-3.5zm7.5 0h4v8h-4zm8 0h3.5v8h-3.5z"),
        ("own", "m-12 6.5h24v4h-24z"),
    ),
}
_RULEBOOK = {
    HOME: "base", FACTORY: "factory", TOWER: "tower", PIT: "drill", BRIDGE: "bridge", PARK: "park", PLAZA: "square",
    SHIELD: "shield", PUBLIC: "public hall",
}  # fmt: skip
_NAMES = {"rulebook": _RULEBOOK, "contest": _RULEBOOK | {PARK: "house", PLAZA: "town"}}
SHAPES = {
    ruleset: {
        LETTERS[building]: Shape(name, LETTERS[building], _PATHS[name])
        for building, name in names.items()
        if building < len(words(ruleset))
    }
    for ruleset, names in _NAMES.items()
}
"""The shapes of each ruleset, by the letter of the building."""
