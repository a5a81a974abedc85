"""What Cool, Hot and the items look like."""

from __future__ import annotations

from ..render.canvas import Shape

SHAPES = {
    "COOL": Shape(
        "Cool",
        "",
        (
            ("dark", "m-3-9v-4h6v4z"),
            ("own", "m-8-10h16l4 4v12l-4 5h-16l-4-5v-12z"),
            ("paper", "m-8-4h16v7h-16z"),
            ("ink", "m-5.5-2l4 2.5-4 1.2zm11 0l-4 2.5 4 1.2z"),
            ("stroke", "m-4 7h8"),
        ),
    ),
    "HOT": Shape(
        "Hot",
        "",
        (
            ("red", "m-4-9q-1-5 4-5q-1 2 2 2.5q2 .5 2 3z"),
            ("own", "m0-10.5q11.5 0 11.5 11q0 11-11.5 11t-11.5-11q0-11 11.5-11z"),
            ("paper", "m-8.5-1.5q8.5-4 17 0v4q-8.5 4-17 0z"),
            ("ink", "m-4-2.2a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 1 1 0-4.4zm8 0a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 1 1 0-4.4z"),
            ("stroke", "m-3 6.5q3 2 6 0"),
        ),
    ),
    "item": Shape(
        "item",
        "",
        (("yellow", "m-9-3l4-5h10l4 5-9 12z"), ("stroke", "m-9-3h18m-9 12l-4-12 4-5 4 5z")),
    ),
}
