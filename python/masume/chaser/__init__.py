"""CHaser: two players who see only nearby cells collect items on a grid and wall each other in."""

from . import maps, notation, reference
from . import maps as starts
from ._engine import State, table
from .config import Config

__all__ = ["Config", "State", "maps", "notation", "reference", "starts", "table"]
