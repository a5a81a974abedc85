"""The texts of the page: those in its scripts are found there, so that no list of them can be out of date."""

from __future__ import annotations

import functools
import json
import re
from html import escape
from importlib import resources
from string import Template
from typing import Any

from ..core.language import translate as _
from ..render import html

SAID = re.compile(r"""\bsay\(\s*"((?:[^"\\]|\\.)*)\"""")


@functools.cache
def find_words() -> tuple[str, ...]:
    """Return the texts in calls of `say` in the scripts, and those of draw.js."""
    static = resources.files("masume.web") / "static"
    texts = [path.read_text("utf-8") for path in static.iterdir() if path.name.endswith(".js")]
    found = {json.loads(f'"{text}"') for script in texts for text in SAID.findall(script)}
    return tuple(sorted(found | set(html.WORDS)))


def page_words() -> dict[str, str]:
    """Return every text of the scripts in the current language."""
    return {word: _(word) for word in find_words()}


def index(data: dict[str, Any], first: str, links: str, language: str) -> str:
    """Return the HTML of every page. data : for its scripts. first : JSON for that of a match. links : its files."""
    text = (resources.files("masume.web") / "static" / "index.html").read_text("utf-8")
    marked = re.sub(r"\{\{(.+?)\}\}", lambda found: escape(_(found[1])), text)
    packed = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    game = escape(data["games"][0])
    return Template(marked).substitute(
        language=language, data=packed, first=first, links=links, base=data["base"], game=game
    )
