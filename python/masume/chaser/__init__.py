"""CHaser: two players in the dark collect items on a grid and wall each other in."""

from .._chaser import State, table
from . import maps, notation, reference
from . import maps as starts
from .config import Config

__all__ = ["Config", "State", "maps", "notation", "reference", "starts", "table"]
