"""Pictures of positions and games: text, SVG and interactive pages. They never change a state.

Each game defines in its `render` module how its states look, as the data of `canvas`; text.py, svg.py and html.py draw
that data.
"""

from .html import page
from .svg import svg
from .text import escape_text, text, wants_color

__all__ = ["escape_text", "page", "svg", "text", "wants_color"]
