"""Battleship: hidden fleets on hidden terrain, with fuel, mines, torpedoes and a mission."""

from . import maps, notation, reference
from . import maps as starts
from ._engine import State, table
from .belief import Belief, Fleet
from .config import Config

__all__ = ["Belief", "Config", "Fleet", "State", "maps", "notation", "reference", "starts", "table"]
