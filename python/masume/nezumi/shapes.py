"""What the cat, the mice and the food look like."""

from __future__ import annotations

from ..render.canvas import Shape

_EARS = "m-8-9a4.6 4.6 0 1 1 0 9.2a4.6 4.6 0 1 1 0-9.2zm16 0a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2z"
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
    "mouse": Shape(
        "mouse",
        "",
        (
            ("stroke", "m7 7q7 2 5-6"),
            ("own", _EARS),
            ("light", "m-8-6.4a2 2 0 1 1 0 4a2 2 0 1 1 0-4zm16 0a2 2 0 1 0 0 4a2 2 0 1 0 0-4z"),
            ("own", "m0-6q7 1 7.5 6.5q0 7.5-7.5 10.5q-7.5-3-7.5-10.5q.5-5.5 7.5-6.5z"),
            ("ink", "m-3 0v1.4m6-1.4v1.4"),
            ("red", "m0 6.5q2.3 0 2.3 2t-2.3 2-2.3-2 2.3-2z"),
        ),
    ),
    "moved": Shape(
        "mouse that has moved",
        "",
        (
            ("stroke", "m-10 6q-4-1-2.5-5"),
            ("own", "m-11 6q0-9 9-9q10 0 13 7.5q.600 2-2.5 2h-17q-2.5 0-2.5-.500z"),
            ("light", "m1-7a3.6 3.6 0 1 1 0 7.2a3.6 3.6 0 1 1 0-7.2z"),
            ("stroke", "m5 1.5l2.5 1"),
            ("red", "m11 3.4a1.5 1.5 0 1 1 0 3a1.5 1.5 0 1 1 0-3z"),
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
            ("paper", "m4 4l4.5 4.5a2.2 2.2 0 1 1 3 2a2.2 2.2 0 1 1-4 .500l-4.5-4.5z"),
            ("red", "m-10-6q3-6 10-4t7 9q0 6-7 7t-10-4-0-8z"),
            ("light", "m-6-3q2-3 5-1.5t1 4.5-4.5 1.5-1.5-4.5z"),
        ),
    ),
}
WEIGHTS = (8, 20, 36)
"""The largest mg of crumb, cheese and cake; what weighs more is ham."""


def food_of(amount: int) -> str:
    """Return the name of the shape of food of this weight in mg."""
    return ("food", "cheese", "cake", "ham")[sum(amount > weight for weight in WEIGHTS)]
