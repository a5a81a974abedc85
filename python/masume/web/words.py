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
from .files import styles

SAID = re.compile(r"""\bsay\(\s*"((?:[^"\\]|\\.)*)\"""")


@functools.cache
def find_words() -> tuple[str, ...]:
    """Return the texts in calls of `say` in the scripts, and those of draw.js."""
    static = resources.files("masume.web") / "static"
    texts = [path.read_text("utf-8") for path in static.iterdir() if path.name.endswith(".js")]
    found = {json.loads(f'"{text}"') for script in texts for text in SAID.findall(script)}
    return tuple(sorted(found | set(html.WORDS)))


def page_words() -> dict[str, str]:
    """Return the texts of the scripts that are others in the current language: none in English."""
    return {word: said for word in find_words() if (said := _(word)) != word}


def refusal(text: str, base: str, language: str) -> str:
    """Return the HTML that says why there is no page; `base` as in Front."""
    return _filled("refused.html", language=language, base=base, links=styles(base), text=escape(text))


def index(data: dict[str, Any], first: str, links: str, language: str) -> str:
    """Return the HTML of every page. data : for its scripts. first : JSON for that of a match. links : its files."""
    packed = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    values = {"game": escape(data["games"][0]), "base": data["base"], "data": packed, "first": first, "links": links}
    return _filled("index.html", language=language, **values)


def _filled(name: str, **values: str) -> str:
    """Return a page with its words in the current language, and with these values."""
    frame, body = ((resources.files("masume.web") / "static" / one).read_text("utf-8") for one in ("frame.html", name))
    text = frame.replace("$body", body)
    return Template(re.sub(r"\{\{(.+?)\}\}", lambda found: escape(_(found[1])), text)).substitute(values)
