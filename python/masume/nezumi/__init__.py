"""Nezumi: one cat against many mice, which eat the food on a walled grid and can surround the cat."""

from . import notation, reference, stages
from . import stages as starts
from ._engine import State, table
from .config import Config

__all__ = ["SUMS", "Config", "State", "notation", "reference", "stages", "starts", "table"]

SUMS = ("food_sum", "cost_sum")
"""Fields of a state that only count points. [section 3]"""
