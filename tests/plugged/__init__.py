"""Line: a game of another package, with a picture. Two players fill cells in turn; the rules are the toy's."""

import dataclasses

from masume.core import config
from toy import Counting

kept = []
"""The tables live as long as the package."""


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """Config of a game, which has no fields."""


def table(_config):
    """Return the capsule of the game."""
    kept.append(Counting(length=6, memory=False))
    return kept[-1].__masume_game__()
