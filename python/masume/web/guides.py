"""Guides: what the page tells of a game, its pieces, tables, ends and keys, while it is watched or played.

A guide is made of the game's config alone, so whoever asks learns nothing of a position.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..core.language import say, speaking
from ..core.language import translate as _
from ..game import Game
from ..play.guide import Section


def guide_of(game: Game, language: str) -> dict[str, Any]:
    """Return the guide of a game in a language, as plain JSON types; what its modules do not say is empty."""
    people: Any = game.part("people")
    guide: Any = game.part("guide")
    with speaking(language):
        sections: list[Section] = [] if guide is None else guide.list_sections(game)
        names = {"winner": _("the winner"), "loser": _("the loser")}
        return {
            "about": _(getattr(people, "ABOUT", "")),
            "help": [_(line) for line in getattr(people, "HELP", ())],
            "sections": [dataclasses.asdict(section) for section in sections],
            "endings": [say(text, **names) for text in getattr(people, "ENDINGS", {}).values()],
            "pad": getattr(people, "PAD", None),
        }
