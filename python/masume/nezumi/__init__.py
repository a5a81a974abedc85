"""Nezumi: one cat against many mice, which eat the food on a walled grid and can surround the cat."""

from . import notation, reference, stages
from . import stages as starts
from ._engine import State, table
from .config import Config
from .notation import MICE

__all__ = ["SUMS", "UPSETS", "Config", "State", "notation", "reference", "stages", "starts", "table"]

SUMS = ("food_sum", "cost_sum")
"""Fields of a state that only count points. [section 3]"""

UPSETS = MICE
"""The player who wins with 0 points or more, and may win with fewer: by a surround. [NZ-18] [NZ-19]"""
