"""What the masons of each team look like: the shape of the face tells the teams apart without a colour."""

from __future__ import annotations

from ..render.canvas import Shape
from .notation import PLAYERS

_FACES = (
    "m-5.5-3h11v4q0 5-5.5 5t-5.5-5z",
    "m-6-3h12v9h-12z",
    "m-6-3h12l-2 6-4 4-4-4z",
    "m-4-3h8l3 4-3 5h-8l-3-5z",
)
SHAPES = {
    f"mason {letter}": Shape(
        "mason",
        "",
        (
            ("own", "m-12 12q0-8 7-8.5h10q7 .5 7 8.5z"),
            ("paper", face),
            ("own", "m-8-4q0-8.5 8-8.5t8 8.5z"),
            ("dark", "m-10.5-5h21v3h-21z"),
            ("light", "m-1.5-12.3h3v7h-3z"),
            ("ink", "m-2.5 .4v1.6m5-1.6v1.6"),
        ),
    )
    for letter, face in zip(PLAYERS, _FACES, strict=False)
}
