"""Battleship: hidden fleets on hidden terrain, with fuel, mines, torpedoes and a mission."""

from . import maps, notation
from . import maps as starts
from .config import Config

__all__ = ["Config", "maps", "notation", "starts"]
