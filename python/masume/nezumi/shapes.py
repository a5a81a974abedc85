"""What the cat, the mice and the food look like."""

from __future__ import annotations

from ..render.canvas import Shape

SHAPES = {
    "cat": Shape(
        "cat",
        "",
        (
            ("own", "m-10-11l5 4h10l5-4 1 11q0 10-11 10t-11-10z"),
            ("paper", "m-5-2.6q2.4 0 2.4 2.4t-2.4 2.4-2.4-2.4 2.4-2.4zm10 0q2.4 0 2.4 2.4t-2.4 2.4-2.4-2.4 2.4-2.4z"),
            ("ink", "m-4.6-1.2v2.4m9.2-2.4v2.4"),
            ("ink", "m-1.4 3.4h2.8l-1.4 1.6z"),
            ("stroke", "m0 5q-2 2.4-4 1m4-1q2 2.4 4 1"),
            ("stroke", "m-7 3l-6-1.4m6 3.4l-6 1m13-3l6-1.4m-6 3.4l6 1"),
        ),
    ),
    "asleep": Shape(
        "cat that sleeps",
        "",
        (
            ("own", "m-10-11l5 4h10l5-4 1 11q0 10-11 10t-11-10z"),
            ("stroke", "m-7.5 0q2.5 2.5 5 0m5 0q2.5 2.5 5 0"),
            ("stroke", "m6-14h5l-5 5h5"),
            ("ink", "m-1.4 3.4h2.8l-1.4 1.6z"),
            ("stroke", "m0 5v1.5"),
            ("stroke", "m-7 3l-6-1.4m6 3.4l-6 1m13-3l6-1.4m-6 3.4l6 1"),
        ),
    ),
    "mouse": Shape(
        "mouse",
        "",
        (
            ("own", "m-8-12a5 5 0 1 1 0 10a5 5 0 1 1 0-10zm16 0a5 5 0 1 0 0 10a5 5 0 1 0 0-10z"),
            ("light", "m-8-9.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5zm16 0a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5z"),
            ("own", "m0-6q8 0 8 7.5q0 4-8 10.5q-8-6.5-8-10.5q0-7.5 8-7.5z"),
            ("ink", "m-3.5-1v2m7-2v2"),
            ("stroke", "m-4 7.5l-8-1.5m8.5 3.5l-8 1.5m15.5-3.5l8-1.5m-8.5 3.5l8 1.5"),
            ("red", "m0 7.5q2.6 0 2.6 2.2t-2.6 2.2-2.6-2.2 2.6-2.2z"),
        ),
    ),
    "moved": Shape(
        "mouse that has moved",
        "",
        (
            ("stroke", "m-9 7q-6 1-4-7q1-4-1-6"),
            ("own", "m-11 8q-1-10 9-11q7 0 15 9q-1 2-4 2z"),
            ("own", "m-1-9a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z"),
            ("light", "m-1-6.5a2 2 0 1 1 0 4a2 2 0 1 1 0-4z"),
            ("ink", "m6 2v1.5"),
            ("stroke", "m9 6l3-4m-2 5l4-2"),
            ("red", "m13 4.5a1.8 1.8 0 1 1 0 3.6a1.8 1.8 0 1 1 0-3.6z"),
        ),
    ),
    "food": Shape(
        "crumb",
        "",
        (("yellow", "m-7 3l2-6 6-2 6 4-1 5-7 3z"), ("ink", "m-2 0v.1m4 1v.1m-1-4v.1")),
    ),
    "cheese": Shape(
        "cheese",
        "",
        (
            ("yellow", "m-12 1l15-9q8 2 9 9z"),
            ("yellow", "m-12 1h24v8h-24z"),
            ("paper", "m-5 3.5a1.7 1.7 0 1 1 0 3.4a1.7 1.7 0 1 1 0-3.4zm9-1a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 1 1 0-4.4z"),
        ),
    ),
    "cake": Shape(
        "cake",
        "",
        (
            ("paper", "m-11 0h22v9h-22z"),
            ("orange", "m-11 4h22v2h-22z"),
            ("yellow", "m-11 0q0-6 11-6t11 6q-2.7 3-5.5 0q-2.8 3-5.5 0q-2.7 3-5.5 0q-2.8 3-5.5 0z"),
            ("red", "m0-11.5a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 1 1 0-5.6z"),
        ),
    ),
    "ham": Shape(
        "ham",
        "",
        (
            ("paper", "m1 1l3-3 6 6a2.6 2.6 0 1 1 1.5 4.5a2.6 2.6 0 1 1-4.5-1.5z"),
            ("red", "m4 3q-5 5-11 2t-5-9q1-8 8-8.5q10 1 11 8q0 4-3 7.5z"),
            ("light", "m-9-4q0-5 5-5"),
        ),
    ),
}
WEIGHTS = (8, 20, 36)
"""The largest mg of crumb, cheese and cake; what weighs more is ham."""


def food_of(amount: int) -> str:
    """Return the name of the shape of food of this weight in mg."""
    return ("food", "cheese", "cake", "ham")[sum(amount > weight for weight in WEIGHTS)]
