"""What the ships look like, by class: as they are, and with the star of the flagship."""

from __future__ import annotations

from ..render.canvas import Shape

_WAVES = "m-13 8q3.25-3 6.5 0t6.5 0 6.5 0 6.5 0"
_HOLE = "a1.5 1.5 0 1 1 0 3a1.5 1.5 0 1 1 0-3z"
_PORTHOLES = f"m-5 1.5{_HOLE}m5 0{_HOLE}m5 0{_HOLE}"
_STAR = ("yellow", "m8-13l1.7 3.3 3.7.500-2.7 2.6.700 3.7-3.4-1.8-3.4 1.8.700-3.7-2.7-2.6 3.7-.5z")
_CLASSES = {
    "B": (
        "battleship",
        (
            ("stroke", "m-.5-11v5m-5-2h-7m12 0h8"),
            ("dark", "m-3-8h6v5h-6z"),
            ("light", "m-8-3.5h16v5.5h-16z"),
            ("dark", "m-11-3h5v4h-5zm17 0h5v4h-5z"),
            ("own", "m-14 1h28l-4 8h-20z"),
        ),
    ),
    "D": (
        "destroyer",
        (
            ("stroke", "m-1-9v8m0-6l5 3m4 5h5"),
            ("light", "m-5-2h8v4h-8z"),
            ("dark", "m4-3h3.5v5h-3.5z"),
            ("own", "m-13 2h26l-6 6h-16z"),
        ),
    ),
    "S": (
        "submarine",
        (
            ("stroke", "m1-7v-4h4"),
            ("dark", "m-3-1v-6h6v6z"),
            ("own", "m-12 3q0-5 7-5h8q9 0 9 5t-9 5h-8q-7 0-7-5z"),
            ("paper", _PORTHOLES),
            ("stroke", _WAVES),
        ),
    ),
    "O": (
        "oiler",
        (
            ("dark", "m7-9h4v10h-4z"),
            ("light", "m-11-3h4.5v5h-4.5zm6 0h4.5v5h-4.5zm6 0h4.5v5h-4.5z"),
            ("own", "m-14 2h28l-3 7h-22z"),
            ("stroke", "m-11-3l17-4"),
        ),
    ),
}  # fmt: skip
SHAPES = {
    "torpedo": Shape(
        "torpedo",
        "",
        (
            ("stroke", "m-13-4v8"),
            ("dark", "m-10-2l-2-5h6l3 4v6l-3 4h-6l2-5z"),
            ("own", "m-8-4h13q8 0 8 4t-8 4h-13z"),
            ("red", "m5-4q8 0 8 4t-8 4z"),
            ("stroke", "m-8-8h-4m6 16h-6"),
        ),
    ),
    "unknown": Shape("a ship", "", (("light", "m-13 1h5v-4h9v4h12l-5 8h-16z"), ("stroke", _WAVES))),
    **{letter: Shape(name, letter, paths) for letter, (name, paths) in _CLASSES.items()},
    **{
        f"{letter}F": Shape(f"{name}, flagship", f"{letter}F", (*paths, _STAR))
        for letter, (name, paths) in _CLASSES.items()
    },
}
"""By the letter of a class, with an F for the flagship; `unknown` for an enemy of which only the place is known."""
