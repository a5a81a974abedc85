"""Connect Four: a game in its own package, which masume finds by the entry point in pyproject.toml.

>>> import masume
>>> masume.load("connect_four", width=8)
Game('connect_four', width=8)
"""

import dataclasses

from masume.core import config
from masume.core.config import integer

from . import _engine, notation
from ._engine import table

__all__ = ["Config", "State", "table"]


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """Config of a game.

    Parameters
    ----------
    width : int, optional
        Number of columns, 4..9.
    """

    width: int = 7

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", integer("width", self.width, 4, 9))


class State(_engine.State):
    """A position, with its text board and the texts of its actions."""

    def __str__(self) -> str:
        return notation.to_text(self.game.config, self.to_dict())

    def action_to_text(self, action, slot=0) -> str:
        """Return the letter of a column."""
        return notation.action_to_text(action)

    def text_to_action(self, text, slot=0) -> int:
        """Return the code of a column's letter; raise NotationError for any other text."""
        return notation.text_to_action(self.game.config, text)
