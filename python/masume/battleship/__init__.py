"""Battleship: hidden fleets on hidden terrain, with fuel, mines, torpedoes and a mission."""

from .._battleship import State, table
from . import maps, notation, reference
from . import maps as starts
from .config import Config

__all__ = ["Config", "State", "maps", "notation", "reference", "starts", "table"]
