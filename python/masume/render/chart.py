"""Curves as SVG: a small line chart for light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#2a7de1", "#d9722b", "#2f9e6e", "#9a5bd0", "#c2447e")
WIDTH, HEIGHT = 640, 280
LEFT, TOP, BASE = 60, 40, 240
NAMES = 150  # room for the names of several curves
LINE = 14  # height of a line of text


def lines(
    title: str,
    curves: Mapping[str, Sequence[tuple[float, float]]],
    marks: Mapping[float, str],
    ends: tuple[str, str],
) -> str:
    """Return a standalone SVG document of up to five curves; several curves are labelled.

    Parameters
    ----------
    title : str
        The title.
    curves : mapping
        Points (x, y) by name; x begins at 0.
    marks : mapping
        The label of each horizontal line, by its y; the least and the greatest are the edges.
    ends : tuple of str
        The labels of the left and right end of the x axis.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there are more than five curves.
    """
    if len(curves) > len(COLOURS):
        raise ValueError(f"curves: expected at most {len(COLOURS)}, got {len(curves)}")
    right = WIDTH - (NAMES if len(curves) > 1 else 20)
    low, high = min(marks), max(marks)
    last = max(x for points in curves.values() for x, _ in points) or 1

    def up(y: float) -> float:
        return BASE - (BASE - TOP) * (y - low) / (high - low)

    shape = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#888"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {shape}><text x="{LEFT}" y="20">{escape(title)}</text>']
    for y, label in marks.items():
        parts.append(f'<path d="M{LEFT},{up(y):.1f}H{right}" stroke="#8884"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{up(y) + 4:.1f}" text-anchor="end">{escape(label)}</text>')
    ends_at = {}
    for colour, (name, points) in zip(COLOURS, curves.items(), strict=False):
        drawn = " ".join(f"{LEFT + (right - LEFT) * x / last:.1f},{up(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends_at[name] = (up(points[-1][1]) + 4, colour)
    free = 0.0
    for name, (at, colour) in sorted(ends_at.items(), key=lambda item: item[1]):
        free = max(at, free + LINE)
        if len(curves) > 1:
            parts.append(f'<text x="{right + 8}" y="{free:.1f}" fill="{colour}">{escape(name)}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 12}">{escape(ends[0])}</text>')
    parts.append(f'<text x="{right}" y="{HEIGHT - 12}" text-anchor="end">{escape(ends[1])}</text></svg>\n')
    return "".join(parts)
