"""Kakomimasu: two to four teams enclose territory with walls; all agents move at once."""

from . import boards as starts
from . import notation, reference
from ._engine import State, table
from .config import Config

__all__ = ["Config", "State", "notation", "reference", "starts", "table"]
