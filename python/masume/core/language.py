"""The language of what the command line prints and of the pages it writes: English, or another by its catalogue.

Texts are translated by gettext, from `locale/<language>/LC_MESSAGES/masume.mo`. A program that imports masume gets
English; the command line chooses a language. Exceptions are English everywhere.
"""

from __future__ import annotations

import contextlib
import functools
import gettext
import os
import unicodedata
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path

DOMAIN = "masume"
FOLDER = Path(__file__).parent.parent / "locale"
LANGUAGES = ("en", *sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))

_chosen: gettext.NullTranslations = gettext.NullTranslations()
_spoken: ContextVar[gettext.NullTranslations | None] = ContextVar("_spoken", default=None)


def choose_language(arguments: Sequence[str] = ()) -> None:
    """Use the language that `--lang` names in these arguments, or else the one of the environment.

    The environment names it in LANGUAGE, LC_ALL, LC_MESSAGES or LANG, the first that is set. argparse follows.
    """
    global _chosen
    for at, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == "--lang" and (equals or at + 1 < len(arguments)):
            os.environ["LANGUAGE"] = value if equals else arguments[at + 1]
    gettext.bindtextdomain(DOMAIN, FOLDER)
    gettext.textdomain(DOMAIN)
    _chosen = gettext.translation(DOMAIN, FOLDER, fallback=True)


@contextlib.contextmanager
def speaking(name: str) -> Iterator[None]:
    """Use the language of this name within the block, in this thread or task only: a server speaks several."""
    token = _spoken.set(_catalogue(name))
    try:
        yield
    finally:
        _spoken.reset(token)


@functools.cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, FOLDER, [name], fallback=True)


def language() -> str:
    """Return the language that texts are in, such as "en" or "ja"."""
    return _current().info().get("language", "en")


def translate(text: str) -> str:
    """Return the text in the chosen language; the text itself if there is no translation."""
    return _current().gettext(text) if text else text


def _current() -> gettext.NullTranslations:
    spoken = _spoken.get()
    return _chosen if spoken is None else spoken


def say(template: str, **values: object) -> str:
    """Return the template in the chosen language, with these values in its fields."""
    return translate(template).format(**values)


def width_of(text: str) -> int:
    """Return the width of a text in letters: two for each wide East Asian character."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
