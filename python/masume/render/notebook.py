"""Small HTML of objects for notebooks: what their `_repr_html_` return. Everything is escaped, nothing is a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from .svg import svg

MAX_ROWS = 10
"""Rows of a table that are shown."""


def draw_card(title: str, facts: Mapping[str, object], *more: str) -> str:
    """Return a heading, a table of facts, and below them more HTML, such as a table or a picture."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{_show(value)}</td></tr>' for name, value in facts.items()
    )
    return f"<div><p><strong>{escape(title)}</strong></p><table><tbody>{rows}</tbody></table>{''.join(more)}</div>"


def draw_table(rows: Iterable[Mapping[str, object]]) -> str:
    """Return a table of the first rows, whose columns are headed by the keys of the first; "" without rows."""
    listed = list(rows)
    if not listed:
        return ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in listed[0])
    body = "".join(
        f"<tr>{''.join(f'<td>{_show(item)}</td>' for item in row.values())}</tr>" for row in listed[:MAX_ROWS]
    )
    rest = f"<p>and {len(listed) - MAX_ROWS} more</p>" if len(listed) > MAX_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def draw_position(state: Any) -> str:
    """Return the picture of a position."""
    return f"<div>{svg(state)}</div>"


def draw_arrays(arrays: Mapping[str, Any]) -> str:
    """Return a table of the names, shapes and dtypes of arrays."""
    return draw_table({"array": name, "shape": array.shape, "dtype": array.dtype} for name, array in arrays.items())


def draw_choices(actions: Sequence[Any], **columns: Sequence[float]) -> str:
    """Return a table of actions with a column for each of these numbers, the highest of the last column first."""
    order = sorted(range(len(actions)), key=lambda at: -list(columns.values())[-1][at])
    return draw_table({"action": actions[at]} | {name: values[at] for name, values in columns.items()} for at in order)


def _show(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_show, value))
    return escape(str(value))
