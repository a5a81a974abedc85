"""Nezumi: one cat against many mice, who eat what lies on a walled grid and may close in on it."""

from .._nezumi import State, table
from . import notation, reference, stages
from . import stages as starts
from .config import Config

__all__ = ["Config", "State", "notation", "reference", "stages", "starts", "table"]
